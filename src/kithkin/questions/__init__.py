"""Questions: what only a human can settle, in one queue."""
