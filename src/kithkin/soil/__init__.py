"""Soil: what happened. Items are appended to one ledger and never change."""
