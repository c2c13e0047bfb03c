"""Nouns: the words every room shares. Nothing here imports another room."""
