"""Webhooks: web addresses that are told of changes."""
