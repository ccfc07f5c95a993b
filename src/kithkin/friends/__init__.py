"""Friends: who asked whom, who is whose friend, and what their agents tell each other."""
