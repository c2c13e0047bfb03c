"""Background jobs: what they read is a scope's own, what they find is a proposal, and nothing runs unless asked."""
