"""REST: every verb of the tables as a route, for agents, connectors and the owner."""
