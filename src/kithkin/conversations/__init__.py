"""Conversations: projects, their branches, what was said in them, and what it refers to."""
