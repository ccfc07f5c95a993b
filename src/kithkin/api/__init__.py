"""The public API: Kithkin for agents, Admin for the owner, Connector for incoming messages."""
