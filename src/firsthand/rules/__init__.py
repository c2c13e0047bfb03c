"""Laws: pure functions over the nouns. `now` is always an argument; nothing here reads a clock, a file or a body."""
