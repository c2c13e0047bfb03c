"""Moving a memory: seals, exports, imports into another store, peers, backups (design 03)."""
