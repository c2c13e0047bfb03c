"""MCP over standard input and output: the catalogue as tools for agents (design 05)."""
