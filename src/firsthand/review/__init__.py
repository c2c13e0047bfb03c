"""The human's desk: what waits for a decision, and the decision, which is an entry by a person."""
