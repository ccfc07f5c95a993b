"""Extraction by rules: what a message says, about whom. Junk is worse than a miss."""
