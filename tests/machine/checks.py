"""What has to hold of a store, whatever was done to it."""

from __future__ import annotations

from collections.abc import Sequence

from plain_model import LOW, Value
from two_stores import BELIEVED, SHARED, Store

import firsthand
from firsthand.recall.gated import shown_row
from firsthand.rules.gate import may_show
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.kinds import KINDS
from firsthand.vocabulary.limits import PACKET_BYTES_MAX, RECALL_LIMIT_MAX

ALL = 4
"""The clearance of who may see everything."""


def answers_are_those_of_the_model(store: Store, scope: str, predicate: str, subjects: Sequence[str]) -> None:
    """Of some subjects: what a guest is told, and what somebody is who may see everything."""
    asked = f"{' '.join(subjects)} {predicate}"
    for memory, clearance in ((store.guest(scope), LOW), (store.operator(scope), ALL)):
        packet = _all_about(memory, asked)
        current = {i.text for i in packet.items if i.qualifier.code == "current"}
        texts = _texts(packet)
        for subject in subjects:
            values = store.model.slot(scope, subject, predicate)
            told = current & {v.text for v in values}
            surely, maybe = store.model.current(scope, subject, predicate, clearance)
            if not surely <= told <= surely | maybe:
                raise AssertionError(_difference(store, scope, values, told, surely))
            for value in values:
                if store.model.absent(value, clearance):
                    assert value.text not in texts, _difference(store, scope, values, told, surely)
                if value.plain and store.model.hidden(value, clearance):
                    assert not any(_is_readable(memory, r) for r in value.records), "the hidden can be read by id"
        for item in packet.items:
            assert item.scope == scope
            assert item.citations, "a recallable claim has live evidence"


def copies_die_with_their_originals(store: Store, copies: list[Value]) -> None:
    """A linked copy is in no answer when what it copies was taken back, or may not be seen."""
    texts = _texts(_all_about(store.operator("project:copies"), "hosts"))
    for copy in copies:
        if store.model.copy_is_dead(copy):
            assert copy.text not in texts, copy


def _all_about(memory: firsthand.Memory, query: str) -> firsthand.Packet:
    return memory.recall(query, kinds=["semantic"], limit=RECALL_LIMIT_MAX, max_bytes=PACKET_BYTES_MAX)


def _texts(packet: firsthand.Packet) -> set[str]:
    """Whatever a packet tells, as an answer or as a conflict."""
    return {i.text for i in (*packet.items, *(i for c in packet.conflicts for i in c.items))}


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
    ours, others = one.look(SHARED), other.look(SHARED)
    assert ours == others, [row for row in ours if row not in others] + [row for row in others if row not in ours]
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
    for value in values:
        lines.append(repr(value))
        lines += [
            f"  {record[:9]} {row}" for record in sorted(value.records) for row in store.look(f"""
            SELECT tier, status, visibility, hidden_reason, valid_from, valid_to, live_support, ended_by FROM belief
            WHERE record_id = '{record}' AND known_to = 9223372036854775807""")
        ]  # fmt: skip
    return "\n".join(lines)
