"""Hooks: what an agent's harness calls at each turn. A call keeps what was said and done, and adds what is known."""
