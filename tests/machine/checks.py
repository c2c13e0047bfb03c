"""What has to hold of a store, whatever was done to it."""

from __future__ import annotations

from plain_model import LOW, Copy, Value
from two_stores import BELIEVED, SHARED, Store

import firsthand
from firsthand.recall.gated import shown_row
from firsthand.rules.gate import may_show
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.kinds import KINDS

ALL = 4
"""The clearance of who may see everything."""


def answers_are_those_of_the_model(store: Store, scope: str, subject: str, predicate: str) -> None:
    """Of one subject and predicate: what a guest is told, and what somebody is who may see everything."""
    values = store.model.slot(scope, subject, predicate)
    for memory, clearance in ((store.guest(scope), LOW), (store.operator(scope), ALL)):
        packet = memory.recall(f"{subject} {predicate}", kinds=["semantic"], limit=50)
        told = {i.text for i in packet.items if i.qualifier.code == "current"} & {v.text for v in values}
        surely, maybe = store.model.current(scope, subject, predicate, clearance)
        if not surely <= told <= surely | maybe:
            raise AssertionError(_difference(store, scope, values, told, surely))
        for item in packet.items:
            assert item.scope == scope
            assert item.citations, (item, _difference(store, scope, values, told, surely))
        texts = {i.text for i in (*packet.items, *(i for c in packet.conflicts for i in c.items))}
        for value in values:
            if store.model.absent(value, clearance):
                assert value.text not in texts, _difference(store, scope, values, told, surely)
            if store.model.hidden(value, clearance):
                for record in value.records if value.plain else ():
                    assert not _is_readable(memory, record), "what is hidden can be read by its id"


def copies_die_with_their_originals(store: Store, copies: list[Value]) -> None:
    """A linked copy is in no answer when all that it copies was taken back, or may not be seen."""
    packet = store.operator("project:copies").recall("hosts", kinds=["semantic"], limit=50)
    texts = {i.text for i in (*packet.items, *(i for c in packet.conflicts for i in c.items))}
    for copy in copies:
        originals = [store.model.value(c.of) for c in copy.all(Copy)]
        if all(store.model.dead(value) for value in originals):
            assert copy.text not in texts, (copy, originals)


def the_gate_in_sql_is_the_rule(store: Store, scope: str) -> None:
    """Over every document of a scope."""
    memory = store.operator(scope)
    scope_id = memory._handle.keyed.scope(scope)
    with memory._engine.store.reading(memory.space) as reader:
        row = reader.scope(scope_id)
        if row is None:
            return
        vids = [(row.scope_no << 32) + n for n in range(row.next_seq)]
        rows = [(r, shown_row(r, frozenset((scope_id,)))) for r in reader.beliefs(vids, None)]
        for clearance in (LOW, ALL):
            by_sql = {r.vid for r in reader.shown(vids, clearance, None) if r.kind in KINDS}
            assert by_sql == {r.vid for r, shown in rows if may_show(shown, clearance=clearance)}


def a_replay_says_the_same(store: Store) -> None:
    """Every digest, every entry, every column of every projection."""
    store.operator("project:alpha").ledger.verify(deep=True)


def stores_agree(one: Store, other: Store) -> None:
    """Who exchanged everything holds the same entries, byte for byte, and believes the same, row by row."""
    assert one.look(SHARED) == other.look(SHARED)
    mine, theirs = one.look(BELIEVED), other.look(BELIEVED)
    assert mine == theirs, [row for row in mine if row not in theirs] + [row for row in theirs if row not in mine]


def _is_readable(memory: firsthand.Memory, record: str) -> bool:
    try:
        memory.read(record)
    except AbsentError:
        return False
    return True


def _difference(store: Store, scope: str, values: list[Value], told: set[str], surely: set[str]) -> str:
    """What differs, what the model holds, and every row that is believed of it."""
    lines = [f"{store.path.stem}: told {sorted(told)}, for sure {sorted(surely)}"]
    packet = store.operator(scope).recall("hosts port", kinds=["semantic"], limit=50)
    lines += [f"{i.text} {i.qualifier} {i.record_id} {i.revision_id}" for i in packet.items]
    for value in values:
        lines.append(repr(value))
        lines += [
            f"  {record[:9]} {row}" for record in sorted(value.records) for row in store.look(f"""
            SELECT tier, status, visibility, hidden_reason, valid_from, valid_to, live_support, ended_by FROM belief
            WHERE record_id = '{record}' AND known_to = 9223372036854775807""")
        ]  # fmt: skip
    return "\n".join(lines)
