"""Adapters: what the world supplies, behind the ports."""
