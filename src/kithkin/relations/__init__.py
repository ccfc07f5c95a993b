"""Relations: how items, entities, artifacts and fragments are connected, and why."""
