"""Adapters: where the world outside is asked."""
