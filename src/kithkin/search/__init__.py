"""Search: one index of what was said and what is believed, on either database."""
