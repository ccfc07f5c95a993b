"""Chat: hear, remember, recall, answer."""
