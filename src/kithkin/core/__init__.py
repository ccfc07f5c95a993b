"""Core: what is believed now. Every change is a link in a hash chain, with its delta in Soil."""
