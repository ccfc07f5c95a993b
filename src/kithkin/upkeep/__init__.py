"""Keeping a realm sound: verify, rebuild, backup, forget, sweep, webhooks, why."""
