"""MCP: what an agent may do, as tools, resources and a prompt that any MCP client can use."""
