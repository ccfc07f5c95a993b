"""What comes in: messages, and answers to questions."""
