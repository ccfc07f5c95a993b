"""The world beyond: channels that send, models that propose."""
