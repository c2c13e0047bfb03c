-- Named queries, explicit columns, a total ORDER BY. `{list}` stands for the engine's way to read one array parameter.

-- name: head
SELECT position, entry_id, chain, received_at FROM entry WHERE space_id = ? ORDER BY position DESC LIMIT 1;
-- name: ledger_rows
SELECT position, entry_id, received_at, chain, skeleton, body, salt FROM entry
WHERE space_id = ? AND position > ? ORDER BY position LIMIT ?;
-- name: position_of
SELECT position FROM entry WHERE space_id = ? AND entry_id = ?;
-- name: skeleton_of
SELECT skeleton FROM entry WHERE space_id = ? AND entry_id = ? AND position <= ?;
-- name: rows_of
SELECT position, entry_id, received_at, chain, skeleton, body, salt FROM entry
WHERE space_id = ? AND entry_id IN (SELECT value FROM {list}) ORDER BY position;
-- name: rows_at
SELECT position, entry_id, received_at, chain, skeleton, body, salt FROM entry
WHERE space_id = ? AND position IN (SELECT value FROM {list}) ORDER BY position;
-- name: bearing_on
SELECT e.entry_id, e.skeleton FROM bearing b JOIN entry e ON e.space_id = b.space_id AND e.position = b.position
WHERE b.space_id = ? AND b.key = ? ORDER BY b.position;
-- name: bearing_on_any
SELECT b.key, e.entry_id, e.skeleton FROM bearing b JOIN entry e ON e.space_id = b.space_id AND e.position = b.position
WHERE b.space_id = ? AND b.key IN (SELECT value FROM {list}) AND e.received_at <= ? ORDER BY b.key, b.position;
-- name: last_bearing_on
SELECT max(position) FROM bearing WHERE space_id = ? AND key = ?;
-- name: has_stones
SELECT 1 FROM bearing WHERE space_id = ? AND key >= 't:' AND key < 't;' LIMIT 1;
-- name: last_stone
SELECT max(position) FROM bearing WHERE space_id = ? AND key >= 't:' AND key < 't;';
-- name: stones
SELECT e.entry_id, e.skeleton FROM bearing b JOIN entry e ON e.space_id = b.space_id AND e.position = b.position
WHERE b.space_id = ? AND b.key >= 't:' AND b.key < 't;' ORDER BY b.position;
-- name: masks
SELECT entry_id, low, high, stone, since FROM mask
WHERE space_id = ? AND entry_id IN (SELECT value FROM {list}) ORDER BY entry_id, low, high, stone;
-- name: refusals
SELECT refusal_no, at, verb, code, scope_id, actor, cause_entry FROM refusal
WHERE space_id = ? AND refusal_no < ? ORDER BY refusal_no DESC LIMIT ?;
-- name: positions_bearing_on
SELECT position FROM bearing WHERE space_id = ? AND key = ? ORDER BY position;

-- name: scope
SELECT scope_id, scope_no, name, next_seq, listed, rest, changed, erasures, reworded FROM scope
WHERE space_id = ? AND scope_id = ?;
-- name: scope_rows
SELECT scope_id, scope_no, name, next_seq, listed, rest, changed, erasures, reworded FROM scope WHERE space_id = ?
ORDER BY scope_no;
-- name: some_names
SELECT name_id, text FROM name WHERE space_id = ? AND what = ? AND text IS NOT NULL ORDER BY name_id LIMIT ?;
-- name: name
SELECT text FROM name WHERE space_id = ? AND what = ? AND name_id = ?;
-- name: doc
SELECT d.vid, d.record_id, d.revision_id, d.position, d.kind, d.shelf, d.thread, d.speaker, d.occurred_at, d.flags, d.told_from,
       d.told_to, d.volatility
FROM entry e JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
WHERE e.space_id = ? AND e.entry_id = ?;
-- name: docs_of_record
SELECT d.vid, d.record_id, d.revision_id, d.position, d.kind, d.shelf, d.thread, d.speaker, d.occurred_at, d.flags, d.told_from,
       d.told_to, d.volatility
FROM entry e JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
WHERE e.space_id = ?1 AND e.entry_id = 'e' || substr(?2, 2)
UNION ALL
SELECT d.vid, d.record_id, d.revision_id, d.position, d.kind, d.shelf, d.thread, d.speaker, d.occurred_at, d.flags, d.told_from,
       d.told_to, d.volatility
FROM doc d WHERE d.space_id = ?1 AND d.record_id = ?2 AND substr(d.revision_id, 2) <> substr(d.record_id, 2)
ORDER BY 1;
-- name: docs
SELECT vid, record_id, revision_id, position, kind, shelf, thread, speaker, occurred_at, flags, told_from,
       told_to, volatility
FROM doc WHERE space_id = ? AND vid IN (SELECT value FROM {list}) ORDER BY vid;

-- name: open_rows
SELECT vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM belief WHERE space_id = ? AND unit = ? AND unit >= 'u' AND known_to = 9223372036854775807 ORDER BY vid, valid_from;
-- name: records_beginning
SELECT d.record_id FROM entry e JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
WHERE e.space_id = ? AND e.entry_id >= ? AND e.entry_id < ? AND substr(d.record_id, 2) = substr(e.entry_id, 2)
ORDER BY e.entry_id LIMIT ?;
-- name: units
SELECT DISTINCT unit FROM belief WHERE space_id = ? AND known_to = 9223372036854775807 ORDER BY unit;
-- name: beliefs_now
SELECT vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM belief WHERE space_id = ? AND vid IN (SELECT value FROM {list}) AND known_to = 9223372036854775807
ORDER BY vid, valid_from;
-- name: beliefs_of_records
WITH asked AS (SELECT ? AS space_id, value AS record_id FROM {list}),
docs AS (
    SELECT d.space_id, d.vid
    FROM asked a JOIN entry e ON e.space_id = a.space_id AND e.entry_id = 'e' || substr(a.record_id, 2)
    JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
    UNION ALL
    SELECT d.space_id, d.vid
    FROM asked a JOIN doc d ON d.space_id = a.space_id AND d.record_id = a.record_id
    WHERE substr(d.revision_id, 2) <> substr(d.record_id, 2)
)
SELECT b.vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM docs found JOIN belief b ON b.space_id = found.space_id AND b.vid = found.vid
WHERE b.known_to = 9223372036854775807 ORDER BY b.vid, b.valid_from;
-- name: beliefs_at
SELECT vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM belief WHERE space_id = ? AND vid IN (SELECT value FROM {list}) AND known_from <= ? AND known_to > ?
ORDER BY vid, valid_from;
-- name: beliefs_ever
SELECT vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM belief WHERE space_id = ? AND vid IN (SELECT value FROM {list}) ORDER BY known_from, vid, valid_from;
-- name: newest
-- What was stored only to be cited (flag 4) is nobody's news.
SELECT d.vid FROM doc d WHERE d.space_id = ? AND d.vid >= ? AND d.vid < ? AND (? OR d.shelf = 1) AND d.flags & 4 = 0
  AND d.kind IN (SELECT value FROM {list})
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = d.space_id AND k.vid = d.vid
      AND k.known_to = 9223372036854775807
      AND (k.sensitivity > ? OR k.visibility = 'hidden' OR k.status IN ('rejected', 'erased')))
ORDER BY d.vid DESC LIMIT ?;

-- name: waiting
-- What a person has to look at: told apart in `review/waiting.py`, which says the same of one row.
SELECT vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind, scope_id, generation, claim,
       conditions, tier, status, visibility, hidden_reason, live_support, sensitivity, cause_entry, ended_by, challenged_by
FROM belief b WHERE b.space_id = ?1 AND b.vid >= ?2 AND b.vid < ?3 AND b.known_to = 9223372036854775807
  AND b.sensitivity <= ?4 AND b.visibility <> 'hidden' AND (
    (?5 = 'conflicts' AND (b.status = 'disputed' OR (b.visibility = 'content_conflict' AND b.status NOT IN
        ('retracted', 'rejected', 'erased', 'superseded')) OR (b.status = 'needs_review' AND b.challenged_by IS NOT NULL)))
    OR (?5 = 'near_tombstones' AND b.status = 'needs_review' AND b.challenged_by IS NULL)
    OR (?5 = 'candidates' AND b.status = 'pending_evidence' AND b.tier = 'candidate' AND b.live_support > 0))
ORDER BY b.vid DESC, b.valid_from LIMIT ?6;
-- name: similar
SELECT d.vid FROM (SELECT rowid AS vid FROM lex WHERE lex MATCH ?2 AND rowid BETWEEN ?3 AND ?4 ORDER BY rowid DESC LIMIT ?5) f
JOIN doc d ON d.space_id = ?1 AND d.vid = f.vid WHERE d.kind = 'semantic' ORDER BY d.vid DESC LIMIT ?6;
-- name: over
-- The plus signs keep a planner from walking the scope instead of the few rows above a clearance.
SELECT DISTINCT b.vid, d.shelf FROM belief b JOIN doc d ON d.space_id = b.space_id AND d.vid = b.vid
WHERE b.space_id = ? AND b.known_to = 9223372036854775807 AND b.sensitivity > 1
  AND b.sensitivity > ? AND +b.vid >= ? AND +b.vid < ? AND d.shelf <> 0 ORDER BY b.vid;
-- name: over_public
SELECT DISTINCT b.vid, d.shelf FROM belief b JOIN doc d ON d.space_id = b.space_id AND d.vid = b.vid
WHERE b.space_id = ? AND b.known_to = 9223372036854775807 AND b.sensitivity > ?
  AND b.vid >= ? AND b.vid < ? AND d.shelf <> 0 ORDER BY b.vid;
-- name: shown
SELECT vid, record_id, kind, tier, valid_from, valid_to, known_from, known_to FROM belief
WHERE space_id = ? AND vid IN (SELECT value FROM {list}) AND known_to = 9223372036854775807
  AND status IN ('active', 'disputed') AND tier <> 'candidate' AND visibility IN ('visible', 'content_conflict')
  AND sensitivity <= ? AND generation = 0 AND (live_support > 0 OR kind NOT IN ('semantic', 'competence', 'plan_graph'))
ORDER BY vid, valid_from;
-- name: shown_at
SELECT vid, record_id, kind, tier, valid_from, valid_to, known_from, known_to FROM belief
WHERE space_id = ? AND vid IN (SELECT value FROM {list}) AND known_from <= ? AND known_to > ?
  AND status IN ('active', 'disputed') AND tier <> 'candidate' AND visibility IN ('visible', 'content_conflict')
  AND sensitivity <= ? AND generation = 0 AND (live_support > 0 OR kind NOT IN ('semantic', 'competence', 'plan_graph'))
ORDER BY vid, valid_from;
-- name: columns
-- Threads may run on in other scopes; a scope's numbers lie between its own and the next one's.
SELECT d.vid & 4294967295, d.kind, d.thread,
       (SELECT max(b.vid) & 4294967295 FROM doc b WHERE b.space_id = d.space_id AND b.thread = d.thread
            AND b.vid >= d.vid & ~4294967295 AND b.vid < d.vid),
       (SELECT min(a.vid) & 4294967295 FROM doc a WHERE a.space_id = d.space_id AND a.thread = d.thread
            AND a.vid > d.vid AND a.vid <= d.vid | 4294967295),
       d.speaker, d.occurred_at, d.flags, d.told_from, d.told_to
FROM doc d WHERE d.space_id = ? AND d.vid IN (SELECT value FROM {list}) ORDER BY d.vid;
-- name: of_kinds
SELECT group_concat(vid & 4294967295) FROM doc
WHERE space_id = ? AND vid >= ? AND vid < ? AND kind IN (SELECT value FROM {list});
-- name: unlisted
SELECT vid FROM doc WHERE space_id = ? AND vid >= ? AND vid < ? AND shelf <> 1 AND thread IS NOT NULL ORDER BY vid;
-- name: off
-- Of what was stored only to be cited (flag 4) there is no vector to be left out.
SELECT vid, shelf FROM doc WHERE space_id = ? AND vid >= ? AND vid < ? AND shelf <> 1 AND flags & 4 = 0 ORDER BY vid;
-- name: vectors
SELECT vid, packed FROM vector WHERE space_id = ? AND vid >= ? AND vid < ? ORDER BY vid;
-- name: vectors_of
SELECT vid, packed FROM vector WHERE space_id = ? AND vid IN (SELECT value FROM {list}) ORDER BY vid;
-- name: embedding
SELECT identity, dimension, generation, late, sent_to, code FROM embedding WHERE space_id = ?;
-- name: pending
SELECT vid FROM pending WHERE space_id = ? AND held = 0 AND due <= ? ORDER BY vid LIMIT ?;
-- name: still_pending
SELECT vid FROM pending WHERE space_id = ? AND held = 0 AND vid IN (SELECT value FROM {list}) ORDER BY vid;
-- name: pending_counts
SELECT held, count(*) FROM pending WHERE space_id = ? GROUP BY held ORDER BY held;
-- name: is_pending
-- What a recall may not know of does not wait for it either.
SELECT 1 FROM pending p JOIN doc d ON d.space_id = p.space_id AND d.vid = p.vid
WHERE p.space_id = ? AND p.held = 0 AND p.vid >= ? AND p.vid < ? AND d.shelf IN (SELECT value FROM {list})
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = p.space_id AND k.vid = p.vid
      AND k.known_to = 9223372036854775807 AND k.sensitivity > ?)
LIMIT 1;
-- name: held_back
SELECT 1 FROM pending WHERE space_id = ? AND held = 1 AND vid >= 0 LIMIT 1;
-- name: late
SELECT vid FROM late WHERE space_id = ? AND batch > ? AND vid >= ? AND vid < ? ORDER BY vid;
-- name: known_names
SELECT n.value FROM {list} n WHERE EXISTS (SELECT 1 FROM mention m WHERE m.space_id = ?2 AND m.scope_id = ?3 AND m.name = n.value
                                              AND m.masked = 0)
   OR EXISTS (SELECT 1 FROM entity_name e WHERE e.space_id = ?2 AND e.scope_id = ?3 AND e.name = n.value) ORDER BY n.value;
-- name: thread_before
SELECT d.vid FROM doc d WHERE d.space_id = ? AND d.thread = ? AND d.vid < ?
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = d.space_id AND k.vid = d.vid
      AND k.known_to = 9223372036854775807
      AND (k.sensitivity > ? OR k.visibility = 'hidden' OR k.status IN ('rejected', 'erased')))
ORDER BY d.vid DESC LIMIT ?;
-- name: thread_after
SELECT d.vid FROM doc d WHERE d.space_id = ? AND d.thread = ? AND d.vid > ?
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = d.space_id AND k.vid = d.vid
      AND k.known_to = 9223372036854775807
      AND (k.sensitivity > ? OR k.visibility = 'hidden' OR k.status IN ('rejected', 'erased')))
ORDER BY d.vid LIMIT ?;
-- name: mentioning
SELECT m.vid FROM mention m WHERE m.space_id = ? AND m.scope_id = ? AND m.name = ? AND m.vid < ? AND m.masked = 0
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = m.space_id AND k.vid = m.vid
      AND k.known_to = 9223372036854775807
      AND (k.sensitivity > ? OR k.visibility = 'hidden' OR k.status IN ('rejected', 'erased')))
ORDER BY m.vid DESC LIMIT ?;
-- name: mentioned_in
SELECT m.vid FROM mention m WHERE m.space_id = ? AND m.scope_id = ? AND m.name = ? AND m.masked = 0
  AND m.vid IN (SELECT value FROM {list}) ORDER BY m.vid;
-- name: has_spoken
SELECT 1 FROM doc d WHERE d.space_id = ? AND d.vid >= ? AND d.vid < ? AND d.speaker = ?
  AND NOT EXISTS (SELECT 1 FROM belief k WHERE k.space_id = d.space_id AND k.vid = d.vid
      AND k.known_to = 9223372036854775807
      AND (k.sensitivity > ? OR k.visibility = 'hidden' OR k.status IN ('rejected', 'erased')))
LIMIT 1;
-- name: locked
WITH asked AS (SELECT value AS record_id, ?1 AS space_id FROM {list}),
docs AS (
    SELECT d.space_id, d.vid, d.record_id
    FROM asked a JOIN entry e ON e.space_id = a.space_id AND e.entry_id = 'e' || substr(a.record_id, 2)
    JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
    UNION ALL
    SELECT d.space_id, d.vid, d.record_id
    FROM asked a JOIN doc d ON d.space_id = a.space_id AND d.record_id = a.record_id
    WHERE substr(d.revision_id, 2) <> substr(d.record_id, 2)
)
SELECT DISTINCT found.record_id FROM docs found JOIN belief b ON b.space_id = found.space_id AND b.vid = found.vid
WHERE b.known_to = 9223372036854775807 AND (b.sensitivity > ?3 OR b.visibility = 'hidden' OR b.status IN ('rejected', 'erased'))
ORDER BY found.record_id;
-- name: received
SELECT e.received_at FROM doc d JOIN entry e ON e.space_id = d.space_id AND e.position = d.position
WHERE d.space_id = ? AND d.vid = ?;
-- name: mentions_among
SELECT name FROM mention WHERE space_id = ? AND scope_id = ? AND name IN (SELECT value FROM {list}) AND vid = ? AND masked = 0
ORDER BY name;
-- name: entities_named
SELECT DISTINCT record_id FROM entity_name WHERE space_id = ? AND scope_id = ? AND name = ? ORDER BY record_id;
-- name: standing_entities
SELECT found.record_id FROM (SELECT DISTINCT record_id FROM entity_name WHERE space_id = ?1 AND scope_id = ?2 AND name = ?3) found
WHERE EXISTS (
    SELECT 1 FROM entry e JOIN doc d ON d.space_id = e.space_id AND d.position = e.position
    JOIN belief b ON b.space_id = d.space_id AND b.vid = d.vid
    WHERE e.space_id = ?1 AND e.entry_id = 'e' || substr(found.record_id, 2) AND b.known_to = 9223372036854775807
      AND b.status IN ('active', 'pending_evidence') AND b.visibility <> 'hidden'
) OR EXISTS (
    SELECT 1 FROM doc d JOIN belief b ON b.space_id = d.space_id AND b.vid = d.vid
    WHERE d.space_id = ?1 AND d.record_id = found.record_id AND substr(d.revision_id, 2) <> substr(d.record_id, 2)
      AND b.known_to = 9223372036854775807
      AND b.status IN ('active', 'pending_evidence') AND b.visibility <> 'hidden'
) ORDER BY found.record_id;
-- name: entity_names_among
SELECT DISTINCT name FROM entity_name WHERE space_id = ? AND scope_id = ? AND name IN (SELECT value FROM {list}) ORDER BY name;
-- name: names_of_entity
SELECT name, role FROM entity_name WHERE space_id = ? AND record_id = ? ORDER BY role, name;
-- name: speakers
SELECT name, speaker_no FROM speaker WHERE space_id = ? AND scope_id = ? ORDER BY speaker_no;
-- name: relations_out
SELECT relation, target_id FROM relation WHERE space_id = ? AND record_id = ? ORDER BY relation, target_id;
-- name: relations_in
SELECT relation, record_id FROM relation WHERE space_id = ? AND target_id = ? ORDER BY relation, record_id;
-- name: attention
SELECT record_id, anchor, anchored_at, helped, failed FROM attention
WHERE space_id = ? AND record_id IN (SELECT value FROM {list}) ORDER BY record_id;
-- name: request
SELECT fingerprint, outcome, record_id, entry_id, evidence_id, known_at, code FROM request WHERE space_id = ? AND digest = ?;
-- name: delivered_to
SELECT 1 FROM delivery WHERE space_id = ? AND record_id IN (SELECT value FROM {list}) AND actor = ? LIMIT 1;
-- name: knows_recall
SELECT 1 FROM receipt WHERE space_id = ? AND recall_id = ?;
-- name: delivery
SELECT record_id FROM delivery WHERE space_id = ? AND recall_id = ? ORDER BY rank, record_id;
-- name: docs_between
-- What was stored only to be cited (flag 4) is no news for a job either.
SELECT vid, record_id, revision_id, position, kind, shelf, thread, speaker, occurred_at, flags, told_from,
       told_to, volatility
FROM doc WHERE space_id = ? AND vid >= ? AND vid < ? AND kind = ? AND flags & 4 = 0 ORDER BY vid LIMIT ?;
-- name: jobs
SELECT job, scope_id, upto, after, state, due, fence, failures, code FROM job WHERE space_id = ?
ORDER BY job, scope_id, upto;
-- name: job
SELECT job, scope_id, upto, after, state, due, fence, failures, code FROM job
WHERE space_id = ? AND job = ? AND scope_id = ? AND upto = ?;
-- name: due_job
SELECT job, scope_id, upto, after, state, due, fence, failures, code FROM job
WHERE space_id = ? AND state <> 'dead' AND due <= ? AND scope_id IN (SELECT value FROM {list})
ORDER BY due, upto, job, scope_id LIMIT 1;
-- name: job_mark
SELECT position FROM job_mark WHERE space_id = ? AND job = ? AND scope_id = ?;
-- name: counts
SELECT kind, status, scope_id, count(DISTINCT record_id) FROM belief WHERE space_id = ? AND known_to = 9223372036854775807
  AND sensitivity <= ? AND visibility <> 'hidden' AND status NOT IN ('rejected', 'erased')
GROUP BY kind, status, scope_id ORDER BY kind, status, scope_id;

-- name: receipt_count
SELECT count(*), max(at) FROM receipt;

-- name: put_entry
INSERT INTO entry (space_id, position, entry_id, received_at, chain, skeleton, body, salt) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
-- name: refused
SELECT code, cause_entry FROM refusal WHERE space_id = ? AND verb = ? AND cause_entry IS NOT NULL ORDER BY refusal_no;
-- name: put_bearing
INSERT INTO bearing (space_id, key, position) VALUES (?, ?, ?);
-- name: highest_scope_no
SELECT coalesce(max(scope_no), 0) FROM scope;
-- name: every_scope_no
SELECT space_id, scope_no FROM scope ORDER BY scope_no;
-- name: scope_nos_of_docs
SELECT DISTINCT vid >> ?2 AS scope_no FROM doc WHERE space_id = ?1 ORDER BY scope_no;
-- name: put_scope
INSERT INTO scope (space_id, scope_id, scope_no, name, next_seq, listed, rest, changed, erasures, reworded)
VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, 0);
-- name: name_scope
UPDATE scope SET name = ? WHERE space_id = ? AND scope_id = ?;
-- name: put_name
INSERT INTO name (space_id, what, name_id, text) VALUES (?, ?, ?, ?)
ON CONFLICT (space_id, what, name_id) DO UPDATE SET text = excluded.text;
-- name: put_doc
INSERT INTO doc (space_id, vid, record_id, revision_id, position, kind, shelf, thread, speaker, occurred_at,
                 flags, told_from, told_to, volatility)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- name: put_vector
INSERT INTO vector (space_id, vid, packed) VALUES (?, ?, ?);
-- name: drop_vector
DELETE FROM vector WHERE space_id = ? AND vid = ?;
-- name: put_embedding
INSERT INTO embedding (space_id, identity, dimension, generation, late, sent_to, code) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (space_id) DO UPDATE SET identity = excluded.identity, dimension = excluded.dimension,
    generation = excluded.generation, late = excluded.late, sent_to = excluded.sent_to, code = excluded.code;
-- name: put_pending
INSERT INTO pending (space_id, held, vid, due) VALUES (?, 0, ?, 0) ON CONFLICT (space_id, held, vid) DO NOTHING;
-- name: put_all_pending
INSERT INTO pending (space_id, held, vid, due) SELECT space_id, 0, vid, 0 FROM doc WHERE space_id = ? AND shelf <> 0;
-- name: drop_pending
DELETE FROM pending WHERE space_id = ? AND held IN (0, 1, 2) AND vid = ?;
-- name: drop_all_pending
DELETE FROM pending WHERE space_id = ?;
-- name: hold_pending
UPDATE pending SET held = ?1 WHERE space_id = ?2 AND held = 0 AND vid = ?3;
-- name: release_pending
UPDATE pending SET held = 0, due = 0 WHERE space_id = ? AND held = ? AND vid = ?;
-- name: release_all_pending
UPDATE pending SET held = 0, due = 0 WHERE space_id = ? AND held = ? AND vid >= 0;
-- name: lease_pending
UPDATE pending SET due = ?1 WHERE space_id = ?2 AND held = 0 AND vid = ?3;
-- name: drop_all_vectors
DELETE FROM vector WHERE space_id = ?;
-- name: drop_all_late
DELETE FROM late WHERE space_id = ?;
-- name: put_late
INSERT INTO late (space_id, batch, vid) VALUES (?, ?, ?);
-- name: drop_surplus_vectors
DELETE FROM vector WHERE space_id = ?1 AND NOT EXISTS (SELECT 1 FROM pending p
    WHERE p.space_id = ?1 AND p.held = 0 AND p.vid = vector.vid);
-- name: drop_surplus_pending
DELETE FROM pending WHERE space_id = ?1 AND EXISTS (SELECT 1 FROM vector v
    WHERE v.space_id = ?1 AND v.vid = pending.vid);
-- name: set_shelf
UPDATE doc SET shelf = ? WHERE space_id = ? AND vid = ?;
-- name: count_scope
UPDATE scope SET next_seq = ?, listed = ?, rest = ?, changed = ?, erasures = ?, reworded = ?
WHERE space_id = ? AND scope_id = ?;
-- name: blank_body
UPDATE entry SET body = NULL, salt = NULL WHERE space_id = ? AND entry_id = ? AND body IS NOT NULL;
-- name: blank_doc
UPDATE doc SET thread = NULL, speaker = NULL, occurred_at = NULL, flags = flags & 4, told_from = NULL, told_to = NULL,
               volatility = NULL
WHERE space_id = ? AND vid = ?;
-- name: drop_mention
DELETE FROM mention WHERE space_id = ? AND scope_id = ? AND name = ? AND vid = ?;
-- name: all_mentioning
SELECT vid FROM mention WHERE space_id = ? AND scope_id = ? AND name = ? ORDER BY vid;
-- name: docs_of_kind
SELECT vid, record_id, revision_id, position, kind, shelf, thread, speaker, occurred_at, flags, told_from,
       told_to, volatility
FROM doc WHERE space_id = ? AND vid >= ? AND vid < ? AND kind = ? ORDER BY vid;
-- name: drop_relations
DELETE FROM relation WHERE space_id = ? AND record_id = ?;
-- name: heard
SELECT s.name, s.speaker_no, min(d.vid) FROM doc d
JOIN speaker s ON s.space_id = d.space_id AND s.scope_id = ? AND s.speaker_no = d.speaker
WHERE d.space_id = ? AND d.vid >= ? AND d.vid < ? AND d.speaker IS NOT NULL GROUP BY s.speaker_no ORDER BY min(d.vid);
-- name: drop_speakers
DELETE FROM speaker WHERE space_id = ? AND scope_id = ?;
-- name: number_speaker
INSERT INTO speaker (space_id, scope_id, speaker_no, name) VALUES (?, ?, ?, ?);
-- name: renumber_speakers
UPDATE doc SET speaker = (SELECT value FROM {list} n WHERE n.key = doc.speaker)
WHERE space_id = ? AND vid >= ? AND vid < ? AND speaker IS NOT NULL;
-- name: drop_deliveries
DELETE FROM delivery WHERE space_id = ? AND record_id = ?;
-- name: blank_receipts
UPDATE receipt SET digest = '' WHERE space_id = ?1 AND recall_id IN (SELECT recall_id FROM delivery
    WHERE space_id = ?1 AND record_id = ?2);
-- name: put_certificate
INSERT INTO certificate (space_id, entry_id, at, report, cleaned) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space_id, entry_id) DO UPDATE SET report = excluded.report, cleaned = excluded.cleaned;
-- name: certificate
SELECT entry_id, at, report, cleaned FROM certificate WHERE space_id = ? AND entry_id = ?;
-- name: unfinished_erasures
SELECT entry_id, at, report, cleaned FROM certificate WHERE space_id = ? AND cleaned = 0 ORDER BY entry_id;
-- name: put_mention
INSERT INTO mention (space_id, scope_id, name, vid, masked) VALUES (?, ?, ?, ?, 0);
-- name: mask_mention
UPDATE mention SET masked = ? WHERE space_id = ? AND scope_id = ? AND name = ? AND vid = ?;
-- name: drop_masks
DELETE FROM mask WHERE space_id = ? AND entry_id = ?;
-- name: put_mask
INSERT INTO mask (space_id, entry_id, low, high, stone, since) VALUES (?, ?, ?, ?, ?, ?);
-- name: drop_entity_names
DELETE FROM entity_name WHERE space_id = ? AND record_id = ?;
-- name: put_entity_name
INSERT INTO entity_name (space_id, scope_id, name, record_id, role) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space_id, scope_id, name, record_id) DO NOTHING;
-- name: speaker_no
SELECT speaker_no FROM speaker WHERE space_id = ? AND scope_id = ? AND name = ?;
-- name: put_speaker
INSERT INTO speaker (space_id, scope_id, speaker_no, name)
SELECT ?1, ?2, (SELECT count(*) FROM speaker WHERE space_id = ?1 AND scope_id = ?2), ?3 RETURNING speaker_no;
-- name: close_belief
UPDATE belief SET known_to = ? WHERE space_id = ? AND vid = ? AND valid_from = ? AND known_to = 9223372036854775807;
-- name: put_belief
INSERT INTO belief (space_id, vid, known_from, valid_from, known_to, valid_to, unit, record_id, revision_id, kind,
                    scope_id, generation, claim, conditions, tier, status, visibility, hidden_reason, live_support,
                    sensitivity, cause_entry, ended_by, challenged_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
-- name: put_relation
INSERT INTO relation (space_id, record_id, relation, target_id, position) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space_id, record_id, relation, target_id) DO NOTHING;
-- name: drop_relation
DELETE FROM relation WHERE space_id = ? AND record_id = ? AND relation = ? AND target_id = ?;
-- name: put_attention
INSERT INTO attention (space_id, record_id, anchor, anchored_at, helped, failed) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (space_id, record_id) DO UPDATE SET anchor = excluded.anchor, anchored_at = excluded.anchored_at,
    helped = excluded.helped, failed = excluded.failed;
-- name: put_request
INSERT INTO request (space_id, digest, fingerprint, outcome, record_id, entry_id, evidence_id, known_at, code)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);
-- name: put_refusal
INSERT INTO refusal (space_id, refusal_no, at, verb, code, scope_id, actor, cause_entry)
SELECT ?1, (SELECT coalesce(max(refusal_no) + 1, 0) FROM refusal WHERE space_id = ?1), ?2, ?3, ?4, ?5, ?6, ?7;
-- name: put_job
INSERT INTO job (space_id, job, scope_id, upto, after, state, due, fence, failures, code)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (space_id, job, scope_id, upto) DO UPDATE SET after = excluded.after, state = excluded.state,
    due = excluded.due, fence = excluded.fence, failures = excluded.failures, code = excluded.code;
-- name: drop_job
DELETE FROM job WHERE space_id = ? AND job = ? AND scope_id = ? AND upto = ?;
-- name: put_job_mark
INSERT INTO job_mark (space_id, job, scope_id, position) VALUES (?, ?, ?, ?)
ON CONFLICT (space_id, job, scope_id) DO UPDATE SET position = excluded.position;
-- name: put_receipt
INSERT INTO receipt (space_id, recall_id, at, actor, session, nonce, digest) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (space_id, recall_id) DO NOTHING;
-- name: put_delivery
INSERT INTO delivery (space_id, record_id, recall_id, actor, rank) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space_id, record_id, actor, recall_id) DO NOTHING;
