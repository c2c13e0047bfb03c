-- One schema for every engine. Only TEXT, BIGINT, DOUBLE PRECISION and each engine's own search and vector types;
-- a line that is for one engine only ends in `-- @sqlite` or `-- @postgres`, and WITHOUT ROWID is for SQLite alone.
-- Every key starts with space_id, so that a space can be placed on one shard (design 06).

-- The ledger: the only source of truth. ---------------------------------------------------------------------------

CREATE TABLE entry (
    space_id    TEXT   NOT NULL,
    position    BIGINT NOT NULL CHECK (position > 0),
    entry_id    TEXT   NOT NULL,
    received_at BIGINT NOT NULL,
    chain       TEXT   NOT NULL,
    skeleton    TEXT   NOT NULL,
    body        TEXT,
    salt        TEXT,
    PRIMARY KEY (space_id, position),
    CHECK ((body IS NULL) = (salt IS NULL))
);
CREATE UNIQUE INDEX entry_id ON entry (space_id, entry_id);

-- design 03: the one exception to append-only is blanking the body of an entry that an `erase` entry names. The
-- bearing row that names it is written in the same transaction, before the blanking.
CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry                                                         -- @sqlite
WHEN NOT (                                                                                                    -- @sqlite
    NEW.space_id = OLD.space_id AND NEW.position = OLD.position AND NEW.entry_id = OLD.entry_id               -- @sqlite
    AND NEW.received_at = OLD.received_at AND NEW.chain = OLD.chain AND NEW.skeleton = OLD.skeleton           -- @sqlite
    AND NEW.body IS NULL AND NEW.salt IS NULL                                                                 -- @sqlite
    AND EXISTS (                                                                                              -- @sqlite
        SELECT 1 FROM bearing b JOIN entry e ON e.space_id = b.space_id AND e.position = b.position           -- @sqlite
        WHERE b.space_id = OLD.space_id AND b.key = 'n:' || OLD.entry_id                                      -- @sqlite
          AND json_extract(e.skeleton, '$.edges.kind') = 'erase'                                              -- @sqlite
          AND OLD.entry_id IN (SELECT value FROM json_each(e.skeleton, '$.edges.targets'))                    -- @sqlite
    )                                                                                                         -- @sqlite
)                                                                                                             -- @sqlite
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;                                                  -- @sqlite
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry                                                         -- @sqlite
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;                                                  -- @sqlite
-- REPLACE deletes without asking unless an insert over an existing row is refused first.
CREATE TRIGGER entry_no_replace BEFORE INSERT ON entry                                                        -- @sqlite
WHEN EXISTS (SELECT 1 FROM entry WHERE space_id = NEW.space_id AND position = NEW.position)                   -- @sqlite
  OR EXISTS (SELECT 1 FROM entry WHERE space_id = NEW.space_id AND entry_id = NEW.entry_id)                   -- @sqlite
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;                                                  -- @sqlite

-- Kept: never dropped by a rebuild (design 09.28). ------------------------------------------------------------------

CREATE TABLE request (
    space_id    TEXT   NOT NULL,
    digest      TEXT   NOT NULL,
    fingerprint TEXT   NOT NULL,
    outcome     TEXT   NOT NULL,
    record_id   TEXT,
    entry_id    TEXT,
    evidence_id TEXT,
    known_at    BIGINT NOT NULL,
    code        TEXT,
    PRIMARY KEY (space_id, digest)
) WITHOUT ROWID;

CREATE TABLE refusal (
    space_id     TEXT   NOT NULL,
    refusal_no   BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    verb         TEXT   NOT NULL,
    code         TEXT   NOT NULL,
    scope_id     TEXT   NOT NULL,
    actor        TEXT   NOT NULL,
    cause_entry  TEXT,
    PRIMARY KEY (space_id, refusal_no)
) WITHOUT ROWID;

-- What is known of each erasure: content-free, and unset until the file itself was cleaned.
CREATE TABLE certificate (
    space_id TEXT   NOT NULL,
    entry_id TEXT   NOT NULL,
    at       BIGINT NOT NULL,
    report   TEXT   NOT NULL,
    cleaned  BIGINT NOT NULL CHECK (cleaned = 0 OR cleaned = 1),
    PRIMARY KEY (space_id, entry_id)
) WITHOUT ROWID;

-- What background jobs have still to look at: stretches of the ledger by position, and never a word of it. A leased
-- stretch is due again when its lease ends; `fence` grows with every lease, so that who lost one cannot commit.
CREATE TABLE job (
    space_id  TEXT   NOT NULL,
    job       TEXT   NOT NULL,
    scope_id  TEXT   NOT NULL,
    upto      BIGINT NOT NULL,
    after     BIGINT NOT NULL,
    state     TEXT   NOT NULL CHECK (state = 'waiting' OR state = 'leased' OR state = 'dead'),
    due       BIGINT NOT NULL,
    fence     BIGINT NOT NULL CHECK (fence >= 0),
    failures  BIGINT NOT NULL CHECK (failures >= 0),
    code      TEXT,
    PRIMARY KEY (space_id, job, scope_id, upto),
    CHECK (after < upto)
) WITHOUT ROWID;
CREATE INDEX job_due ON job (space_id, due) WHERE state <> 'dead';

-- Up to which position of the ledger the work of a job in a scope has been put in the queue.
CREATE TABLE job_mark (
    space_id  TEXT   NOT NULL,
    job       TEXT   NOT NULL,
    scope_id  TEXT   NOT NULL,
    position  BIGINT NOT NULL CHECK (position >= 0),
    PRIMARY KEY (space_id, job, scope_id)
) WITHOUT ROWID;

-- Projections: dropped and replayed by a rebuild. -------------------------------------------------------------------

CREATE TABLE bearing (
    space_id TEXT   NOT NULL,
    key      TEXT   NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (space_id, key, position)
) WITHOUT ROWID;

CREATE TABLE scope (
    space_id  TEXT   NOT NULL,
    scope_id  TEXT   NOT NULL,
    scope_no  BIGINT NOT NULL,
    name      TEXT,
    next_seq  BIGINT NOT NULL,
    listed    BIGINT NOT NULL,
    rest      BIGINT NOT NULL,
    changed   BIGINT NOT NULL,
    erasures  BIGINT NOT NULL,
    reworded  BIGINT NOT NULL,
    PRIMARY KEY (space_id, scope_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX scope_no ON scope (space_id, scope_no);

CREATE TABLE name (
    space_id TEXT   NOT NULL,
    name_id  TEXT   NOT NULL,
    what     TEXT   NOT NULL,
    text     TEXT,
    PRIMARY KEY (space_id, what, name_id)
) WITHOUT ROWID;

CREATE TABLE doc (
    space_id    TEXT   NOT NULL,
    vid         BIGINT NOT NULL,
    record_id   TEXT   NOT NULL,
    revision_id TEXT   NOT NULL,
    position    BIGINT NOT NULL,
    kind        TEXT   NOT NULL,
    shelf       BIGINT NOT NULL CHECK (shelf = 0 OR shelf = 1 OR shelf = 2),
    thread      TEXT,
    speaker     BIGINT,
    occurred_at BIGINT,
    flags       BIGINT NOT NULL,
    told_from   BIGINT,
    told_to     BIGINT,
    volatility  TEXT,
    PRIMARY KEY (space_id, vid)
) WITHOUT ROWID;
-- A record's first document is found through its entry. Ids are digests, so an index on them touches a page of its own
-- for every row; positions and document numbers only grow, so an index on them touches the last one.
CREATE UNIQUE INDEX doc_position ON doc (space_id, position);
CREATE INDEX doc_later ON doc (space_id, record_id) WHERE substr(revision_id, 2) <> substr(record_id, 2);
CREATE INDEX doc_thread ON doc (space_id, thread, vid) WHERE thread IS NOT NULL;
CREATE INDEX doc_unlisted ON doc (space_id, vid) WHERE shelf <> 1 AND thread IS NOT NULL;

-- What the default gate keeps back of documents that have words of their own (flag 4: they were stored only to be cited).
CREATE INDEX doc_off ON doc (space_id, vid) WHERE shelf <> 1 AND flags & 4 = 0;

-- The words of a document that is on a shelf, as int8 numbers of one length; none where no word of it is known.
CREATE TABLE vector (
    space_id TEXT   NOT NULL,
    vid      BIGINT NOT NULL,
    packed   BLOB   NOT NULL, -- @sqlite
    packed   BYTEA  NOT NULL, -- @postgres
    PRIMARY KEY (space_id, vid)
) WITHOUT ROWID;

-- By which embedder every vector of a space is; empty where none has made any yet. It is there as soon as any entry is
-- projected, so a space without it is one whose projections are still to be made. A replay keeps it.
CREATE TABLE embedding (
    space_id   TEXT   NOT NULL,
    identity   TEXT   NOT NULL,
    dimension  BIGINT,          -- unset until the first vector says it
    generation BIGINT NOT NULL, -- how often all vectors were made anew
    late       BIGINT NOT NULL, -- how many batches of vectors came after their words
    sent_to    TEXT   NOT NULL, -- every endpoint of others that was ever asked for vectors, one a line
    code       TEXT,            -- how such an endpoint failed last
    PRIMARY KEY (space_id)
) WITHOUT ROWID;

-- Documents on a shelf that have no vector yet. `held`: 0 waits, 1 may not be sent as it stands, 2 the endpoint would not
-- have it. `due`: when a worker may take it.
CREATE TABLE pending (
    space_id TEXT   NOT NULL,
    held     BIGINT NOT NULL,
    vid      BIGINT NOT NULL,
    due      BIGINT NOT NULL,
    PRIMARY KEY (space_id, held, vid)
) WITHOUT ROWID;

-- Which vectors came after their words, by batch, so that who keeps vectors in memory reads no more than these.
CREATE TABLE late (
    space_id TEXT   NOT NULL,
    batch    BIGINT NOT NULL,
    vid      BIGINT NOT NULL,
    PRIMARY KEY (space_id, batch, vid)
) WITHOUT ROWID;

-- For each row SQLite makes a small table of a list of three or more after IN, so the CHECKs say OR: a third of the cost.
CREATE TABLE belief (
    space_id      TEXT   NOT NULL,
    vid           BIGINT NOT NULL,
    known_from    BIGINT NOT NULL,
    valid_from    BIGINT NOT NULL,
    known_to      BIGINT NOT NULL,
    valid_to      BIGINT NOT NULL,
    unit          TEXT   NOT NULL,
    record_id     TEXT   NOT NULL,
    revision_id   TEXT   NOT NULL,
    kind          TEXT   NOT NULL CHECK (kind = 'episodic' OR kind = 'semantic' OR kind = 'entity' OR kind = 'working'
                                         OR kind = 'competence' OR kind = 'plan_graph'),
    scope_id      TEXT   NOT NULL,
    generation    BIGINT NOT NULL,
    claim         TEXT,
    conditions    TEXT,
    tier          TEXT   NOT NULL CHECK (tier = 'observed' OR tier = 'validated_claim' OR tier = 'candidate'
                                         OR tier = 'fact'),
    status        TEXT   NOT NULL CHECK (status = 'active' OR status = 'pending_evidence' OR status = 'needs_review'
                                         OR status = 'quarantined' OR status = 'disputed' OR status = 'superseded'
                                         OR status = 'retracted' OR status = 'rejected' OR status = 'erased'),
    visibility    TEXT   NOT NULL CHECK (visibility = 'visible' OR visibility = 'content_conflict'
                                         OR visibility = 'hidden'),
    hidden_reason TEXT            CHECK (hidden_reason = 'withdrawn' OR hidden_reason = 'conflicting_decisions'
                                         OR hidden_reason = 'unreviewed_content'),
    live_support  BIGINT NOT NULL CHECK (live_support >= 0),
    sensitivity   BIGINT NOT NULL CHECK (sensitivity BETWEEN 0 AND 4),
    cause_entry   TEXT   NOT NULL,
    ended_by      TEXT,
    challenged_by TEXT,
    -- With the end of known time last, it also says: one open row per record, head and world window.
    PRIMARY KEY (space_id, vid, valid_from, known_to),
    FOREIGN KEY (space_id, cause_entry) REFERENCES entry (space_id, entry_id) ON DELETE RESTRICT,
    CHECK (NOT (tier = 'candidate' AND status = 'active')),
    CHECK (NOT (status = 'active' AND live_support = 0
                AND (kind = 'semantic' OR kind = 'competence' OR kind = 'plan_graph'))),
    CHECK ((visibility = 'hidden') = (hidden_reason IS NOT NULL)),
    CHECK (known_from < known_to AND valid_from < valid_to)
) WITHOUT ROWID;
-- The slots of claims; a record that claims nothing is its own unit, and is found by its documents.
CREATE INDEX belief_unit ON belief (space_id, unit) WHERE known_to = 9223372036854775807 AND unit >= 'u';
-- What an ordinary clearance may not see: few rows, left out of every count.
CREATE INDEX belief_above ON belief (space_id, sensitivity, vid) WHERE known_to = 9223372036854775807 AND sensitivity > 1;

CREATE TABLE mention (
    space_id TEXT   NOT NULL,
    scope_id TEXT   NOT NULL,
    name     TEXT   NOT NULL,
    vid      BIGINT NOT NULL,
    masked   BIGINT NOT NULL CHECK (masked = 0 OR masked = 1),
    PRIMARY KEY (space_id, scope_id, name, vid)
) WITHOUT ROWID;

-- Spans of an entry's body that are not shown: by which tombstone (none: private), and for which times asked about.
CREATE TABLE mask (
    space_id TEXT   NOT NULL,
    entry_id TEXT   NOT NULL,
    low      BIGINT NOT NULL,
    high     BIGINT NOT NULL,
    stone    TEXT   NOT NULL,
    since    BIGINT NOT NULL,
    PRIMARY KEY (space_id, entry_id, low, high, stone),
    CHECK (low < high)
) WITHOUT ROWID;

CREATE TABLE entity_name (
    space_id  TEXT NOT NULL,
    scope_id  TEXT NOT NULL,
    name      TEXT NOT NULL,
    record_id TEXT NOT NULL,
    role      TEXT NOT NULL,
    PRIMARY KEY (space_id, scope_id, name, record_id)
) WITHOUT ROWID;
CREATE INDEX entity_name_record ON entity_name (space_id, record_id);

CREATE TABLE speaker (
    space_id   TEXT   NOT NULL,
    scope_id   TEXT   NOT NULL,
    speaker_no BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    PRIMARY KEY (space_id, scope_id, name)
) WITHOUT ROWID;

CREATE TABLE relation (
    space_id  TEXT   NOT NULL,
    record_id TEXT   NOT NULL,
    relation  TEXT   NOT NULL,
    target_id TEXT   NOT NULL,
    position  BIGINT NOT NULL,
    PRIMARY KEY (space_id, record_id, relation, target_id)
) WITHOUT ROWID;
CREATE INDEX relation_target ON relation (space_id, target_id);

CREATE TABLE attention (
    space_id    TEXT             NOT NULL,
    record_id   TEXT             NOT NULL,
    anchor      DOUBLE PRECISION NOT NULL,
    anchored_at BIGINT           NOT NULL,
    helped      BIGINT           NOT NULL,
    failed      BIGINT           NOT NULL,
    PRIMARY KEY (space_id, record_id)
) WITHOUT ROWID;

-- Own words, as terms made by our own rule (design 04): one index of what the default gate may pass, one of the rest.
CREATE VIRTUAL TABLE lex      USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'); -- @sqlite
CREATE VIRTUAL TABLE lex_rest USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'); -- @sqlite

-- Journal: receipts of recalls; bounded loss, not part of a rebuild. -------------------------------------------------

CREATE TABLE receipt (
    space_id  TEXT   NOT NULL,
    recall_id TEXT   NOT NULL,
    at        BIGINT NOT NULL,
    actor     TEXT   NOT NULL,
    session   TEXT,
    nonce     TEXT   NOT NULL,
    digest    TEXT   NOT NULL,
    PRIMARY KEY (space_id, recall_id)
) WITHOUT ROWID;

CREATE TABLE delivery (
    space_id  TEXT   NOT NULL,
    record_id TEXT   NOT NULL,
    recall_id TEXT   NOT NULL,
    actor     TEXT   NOT NULL,
    rank      BIGINT NOT NULL,
    PRIMARY KEY (space_id, record_id, actor, recall_id)
) WITHOUT ROWID;
CREATE INDEX delivery_recall ON delivery (space_id, recall_id);

-- What the planner should believe of every index from the first row on: a space holds nearly everything, so a prefix of
-- `space_id` alone selects nothing. Without this SQLite walks a whole space where an index would find one row.
ANALYZE; -- @sqlite
DELETE FROM sqlite_stat1; -- @sqlite
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES -- @sqlite
    ('entry', 'sqlite_autoindex_entry_1', '1000000 1000000 1'), ('entry', 'entry_id', '1000000 1000000 1'), -- @sqlite
    ('request', 'request', '100000 100000 1'), ('certificate', 'certificate', '1000 1000 1'), ('refusal', 'refusal', '10000 10000 1'), -- @sqlite
    ('job', 'job', '10000 10000 500 50 1'), ('job', 'job_due', '10000 10000 2'), -- @sqlite
    ('job_mark', 'job_mark', '1000 1000 500 1'), -- @sqlite
    ('bearing', 'bearing', '2000000 2000000 3 1'), -- @sqlite
    ('scope', 'scope', '1000 1000 1'), ('scope', 'scope_no', '1000 1000 1'), -- @sqlite
    ('name', 'name', '10000 10000 2000 1'), -- @sqlite
    ('doc', 'doc', '1000000 1000000 1'), ('doc', 'doc_position', '1000000 1000000 1'), -- @sqlite
    ('doc', 'doc_unlisted', '1000 1000 1'), ('doc', 'doc_off', '10000 10000 1'), ('vector', 'vector', '1000000 1000000 1'), -- @sqlite
    ('embedding', 'embedding', '10 1'), ('pending', 'pending', '100000 100000 50000 1'), ('late', 'late', '100000 100000 60 1'), -- @sqlite
    ('doc', 'doc_later', '100000 100000 2'), ('doc', 'doc_thread', '900000 900000 20 1'), -- @sqlite
    ('belief', 'belief', '1500000 1500000 2 1 1'), ('belief', 'belief_unit', '500000 500000 2'), -- @sqlite
    ('belief', 'belief_above', '10000 10000 3000 1'), -- @sqlite
    ('mention', 'mention', '2000000 2000000 20000 10 1'), ('mask', 'mask', '10000 10000 2 1 1 1'), -- @sqlite
    ('entity_name', 'entity_name', '100000 100000 1000 1 1'), -- @sqlite
    ('entity_name', 'entity_name_record', '100000 100000 2'), -- @sqlite
    ('speaker', 'speaker', '10000 10000 10 1'), -- @sqlite
    ('relation', 'relation', '100000 100000 3 2 1'), ('relation', 'relation_target', '100000 100000 3'), -- @sqlite
    ('attention', 'attention', '100000 100000 1'), -- @sqlite
    ('receipt', 'receipt', '1000000 1000000 1'), -- @sqlite
    ('delivery', 'delivery', '8000000 8000000 20 5 1'), ('delivery', 'delivery_recall', '8000000 8000000 8'); -- @sqlite
ANALYZE sqlite_schema; -- @sqlite
