"""The door: who comes in from outside, by a token or a password, and what they were answered."""
