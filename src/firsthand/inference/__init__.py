"""Models: what makes vectors of words. Nothing here is ever asked over a network."""
