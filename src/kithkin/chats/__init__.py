"""Chats: where something is said, and who is there to hear it."""
