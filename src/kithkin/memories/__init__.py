"""Memories: what is believed, about whom, who said so, and who may hear it."""
