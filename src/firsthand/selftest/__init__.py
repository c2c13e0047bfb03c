"""The acceptance tests, packaged: each makes its own store, and says what it found or why it could not look."""
