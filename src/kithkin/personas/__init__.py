"""Personas: the voices an agent speaks in, what each of them sees, and what waits for a word."""
