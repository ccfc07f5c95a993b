"""The world beyond: channels that send, histories that are brought, models that propose."""
