"""One mechanism broken at a time: what is patched lives here and nowhere in the package."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

import firsthand.audit
import firsthand.capture.aftermath
import firsthand.capture.claims
import firsthand.capture.erase_plan
import firsthand.capture.gateway
import firsthand.capture.revise
import firsthand.learning.jobs
import firsthand.ledger
import firsthand.moving.surveying
import firsthand.recall.pack
import firsthand.recall.pipeline
import firsthand.recall.reading
import firsthand.rules.access
import firsthand.rules.tombstones
import firsthand.surfaces.mcp.tools
from firsthand.ports import UNLISTED
from firsthand.rules.bearing import tombstone_of
from firsthand.store.sqlite_read import SqliteReader
from firsthand.store.sqlite_write import SqliteWriter
from firsthand.stored import entry_of
from firsthand.vocabulary.entries import Judge, Support
from firsthand.vocabulary.grants import Grant
from firsthand.vocabulary.packets import RelationView


class Mutant(NamedTuple):
    """What is broken, the acceptance tests that are there for it, and what is put in whose place."""

    what: str
    named: tuple[str, ...]
    patches: dict[str, object]


genuine: dict[str, Any] = {
    "scopes": firsthand.rules.access.Handle.scopes,
    "postings": SqliteReader.postings,
    "replay": firsthand.audit.replay,
    "append": firsthand.capture.gateway.Gateway.append,
    "assertions": firsthand.capture.claims.assertions,
    "would_block": firsthand.capture.admitting.would_block,
    "size": firsthand.recall.pack._size,
    "salience": firsthand.recall.reading.salience_of,
    "binds": firsthand.rules.tombstones._binds,
    "leave": firsthand.capture.revise._leave,
    "met_by": firsthand.capture.gateway.met_by,
    "retain": firsthand.capture.aftermath.retain,
    "refused_words": firsthand.capture.admitting.refused_words,
    "at": firsthand.learning.jobs.Jobs._at,
    "shelve": SqliteWriter.shelve,
    "taken": firsthand.moving.surveying.Survey.taken,
    "plain": firsthand.surfaces.mcp.tools._plain,
    "told": firsthand.surfaces.mcp.tools.told,
}


def postings_of_every_scope(self: Any, scope_no: int, term: str, shelf: Any, *bounds: int) -> str:
    parts = [genuine["postings"](self, s.scope_no, term, shelf, *bounds) for s in self.scope_rows()]
    return ",".join(p for p in parts if p)


def scope_of_the_argument(self: Any, asked: Any) -> tuple[str, ...]:
    return tuple(asked) if asked else genuine["scopes"](self, asked)


def without_spans(*given: Any) -> Any:
    return tuple(msgspec.structs.replace(a, span=None) for a in genuine["assertions"](*given))


def replaying_all_but(kind: type) -> Any:
    def replay(writer: Any, rows: Any) -> None:
        genuine["replay"](writer, [(row, s) for row, s in rows if not isinstance(s.edges, kind)])

    return replay


def role_of_the_words(self: Any, handle: Any, writer: Any, edges: Any, words: Any, *more: Any, **given: Any) -> Any:
    if re.search("approved|confirmed|person", words.text):
        handle = msgspec.structs.replace(
            handle,
            ids=msgspec.structs.replace(handle.ids, role="person"),
            author=msgspec.structs.replace(handle.author, role="person"),
        )
    return genuine["append"](self, handle, writer, edges, words, *more, **given)


def lower_case_only(text: str) -> str:
    return text.lower()


def sized_without_text(place: Any, count: Any) -> Any:
    size = genuine["size"](place, count)
    return msgspec.structs.replace(size, text_bytes=8, json_bytes=8, tokens=1)


READS: list[str] = []
"""Records that were read, once for each time."""


def fading_by_reading(row: Any, *more: Any) -> float:
    READS.append(row.record_id)
    return genuine["salience"](row, *more) * 0.99 ** READS.count(row.record_id)


def one_nonce(handle: Any) -> str:
    """The same mark for every packet."""
    return handle.keyed.fence("0" * (firsthand.recall.pipeline.NONCE_HEX // 2))


def admitting_all(self: Any, vids: Any) -> list[int]:
    wanted = list(vids)
    for row in self._reader.beliefs(wanted, self._plan.known_at):
        self.passed.setdefault(row.vid, []).append(row)
    return [v for v in wanted if v in self.passed]


def reads_what_is_hidden(handle: Any, row: Any) -> bool:
    return handle.reads(row.scope_id) and row.sensitivity <= handle.clearance


def relations_to_whatever(reader: Any, handle: Any, record_id: str, row: Any) -> Any:
    return tuple(
        RelationView(relation=relation, record_id=other, direction=way)
        for relation, other, way in reader.relations_of(record_id)
    )


def never_off_the_shelf(self: Any, scope_id: str, vid: int, was: Any, now: Any, terms: Any) -> None:
    if now != UNLISTED:
        genuine["shelve"](self, scope_id, vid, was, now, terms)


def resting_on_it_directly(reader: Any, handle: Any, gone: Any, ground: Any) -> set[str]:
    """What cites the records that go, and nothing that cites that."""
    for record_id in sorted(firsthand.capture.erase_plan._complete(reader, gone, ground)):
        for said in firsthand.capture.erase_plan._citing(reader, record_id):
            gone.setdefault(said.entry, ground)
    return set()


def not_what_was_inferred(entry: Any, said: Any) -> bool:
    """What the gateway lets in, the fold and the last look before delivery must let pass as well to be seen at all."""
    return said.basis != "inferred" and genuine["binds"](entry, said)


def reaching_by_its_own_clock(gateway: Any, *given: Any, **more: Any) -> Any:
    left = genuine["leave"](gateway, *given, **more)
    reach = msgspec.structs.replace(left.reach, spoken=gateway.clock.now())
    return msgspec.structs.replace(left, reach=reach)


SWEPT: set[str] = set()
"""Entries that retention took with it though they forbid something."""


def retaining_no_tombstones(gateway: Any, handle: Any) -> Any:
    with gateway.store.reading(handle.space) as reader:
        entries = [entry_of(row) for row in firsthand.capture.erase_plan.every_row(reader)]
    SWEPT.update(entry.id for entry in entries if tombstone_of(entry) is not None)
    return genuine["retain"](gateway, handle)


def not_what_was_swept(entry: Any, said: Any) -> bool:
    """Persons are still bound, so that the value comes in by an agent and every later step can be taken."""
    return (entry.id not in SWEPT or said.role == "person") and genuine["binds"](entry, said)


def meeting_unless_imported(handle: Any, reader: Any, edges: Any, *given: Any) -> Any:
    return () if getattr(edges, "imported", False) else genuine["met_by"](handle, reader, edges, *given)


def meeting_without_reasons(handle: Any, reader: Any, edges: Any, body: Any, *given: Any) -> Any:
    return genuine["met_by"](handle, reader, edges, msgspec.structs.replace(body, reason=None), *given)


def unless_it_is_a_change(name: str) -> Any:
    def look(*given: Any) -> Any:
        """Only a correct names the heads that it replaces."""
        return genuine[name](*given) if given[-1] else None

    return look


def taking_no_erasure(self: Any) -> Any:
    return (taken for taken in genuine["taken"](self) if taken.entry.kind != "erase")


def documents_of_every_scope(reader: Any, row: Any, kind: Any) -> list[Any]:
    return [doc for scope in reader.scope_rows() for doc in reader.docs_of_kind(scope.scope_no, kind)]


def reading_every_scope(self: Any, scope: str, job: str) -> Any:
    here = genuine["at"](self, scope, job)
    grant = Grant(read=None, write=frozenset((scope,)), role="system")
    return firsthand.learning.jobs.handle(
        space=here.space, scope=scope, author=here.author, grant=grant, keyed=self._caller.keyed
    )


def receipts_without_conflicts(receipt: Any) -> dict[str, Any]:
    return {name: value for name, value in genuine["plain"](receipt).items() if name != "conflicts"}


def answers_without(pattern: str) -> Any:
    """A tool's answers with nothing where the pattern is found in their text."""

    def told(memory: Any, result: Any) -> dict[str, Any]:
        answer = genuine["told"](memory, result)
        content = [
            {**part, "text": re.sub(pattern, "", part["text"], flags=re.MULTILINE)} for part in answer["content"]
        ]
        return {**answer, "content": content}

    return told


MUTANTS = [
    Mutant("one arm knows no scope", ("scope.cross_tenant_absent",),
           {"firsthand.store.sqlite_read.SqliteReader.postings": postings_of_every_scope}),
    Mutant("the scope is the one asked for", ("scope.caller_cannot_widen",),
           {"firsthand.rules.access.Handle.scopes": scope_of_the_argument}),
    Mutant("supports are written without their span", ("evidence.claim_resolves_to_source",),
           {"firsthand.capture.claims.assertions": without_spans}),
    Mutant("a rebuild skips supports", ("evidence.rebuild_from_retained",),
           {"firsthand.audit.replay": replaying_all_but(Support)}),
    Mutant("the role is what the words say", ("gateway.model_cannot_claim_human_authority",),
           {"firsthand.capture.gateway.Gateway.append": role_of_the_words}),
    Mutant("names are compared in lower case only", ("tombstone.key_normalization_attack",),
           {"firsthand.rules.identity.name_key": lower_case_only,
            "firsthand.rules.identity.statement_key": lower_case_only,
            "firsthand.rules.values.name_key": lower_case_only}),
    Mutant("a refusal leaves a candidate", ("tombstone.no_second_memory_unit",),
           {"firsthand.capture.admitting.would_block": lambda *given: None,
            "firsthand.capture.admitting.refused_words": lambda *given: None}),
    Mutant("a packet is measured before it is rendered", ("retrieval.k_is_an_upper_bound",),
           {"firsthand.recall.pack._size": sized_without_text}),
    Mutant("every fence has the same mark", ("prompt.recall_is_fenced_as_data",),
           {"firsthand.recall.pipeline.new_nonce": one_nonce}),
    Mutant("a rebuild skips decisions", ("correction.survives_reindex",),
           {"firsthand.audit.replay": replaying_all_but(Judge)}),
    Mutant("provisional tombstones bind nobody", ("life.recall_after_retract", "tombstone.no_second_memory_unit",
            "contradiction.retraction.structured", "correction.retraction_without_replacement"),
           {"firsthand.rules.tombstones._bound_provisionally": lambda *given: False}),
    Mutant("reading wears a record out", ("life.decay_read_often",),
           {"firsthand.recall.reading.salience_of": fading_by_reading}),
    Mutant("expansion passes no gate", ("life.expansion_around_the_fallen",),
           {"firsthand.recall.gated.Gate.admit": admitting_all}),
    Mutant("history is the root alone", ("life.history_of_every_life",),
           {"firsthand.store.sqlite_read.SqliteReader.positions_bearing_on": lambda self, key: []}),
    Mutant("conditions are not heeded", ("life.contradicting_condition",),
           {"firsthand.recall.fill.contradicted": lambda conditions, given: False}),
    Mutant("near sentences are two truths", ("contradiction.replacement.plain",),
           {"firsthand.recall.fill.with_near_conflicts": list}),
    Mutant("what is hidden can be read by its id", ("life.withdrawn_without_the_grant",),
           {"firsthand.recall.reading.may_read": reads_what_is_hidden}),
    Mutant("relations lead to what was erased", ("evidence.source_delete_reaches_derived",),
           {"firsthand.recall.reading._relations": relations_to_whatever}),
    Mutant("nobody hears a doubt", ("life.contested_with_defaults",),
           {"firsthand.rules.standing._contested": lambda view, unit: {}}),
    Mutant("an approval makes no fact", ("review.a_person_decides",),
           {"firsthand.rules.standing.approvals": lambda view, unit: frozenset[str]()}),
    Mutant("a job looks at every scope at once", ("scope.background_respects_boundary",),
           {"firsthand.learning.queue.documents": documents_of_every_scope,
            "firsthand.learning.jobs.Jobs._at": reading_every_scope,
            "firsthand.capture.ground._check_effective": lambda record, handle: None}),
    Mutant("an erasure goes one step deep", ("evidence.source_delete_reaches_derived",),
           {"firsthand.capture.erase_plan._lineage": resting_on_it_directly}),
    Mutant("an erased entity's names stay mentions", ("evidence.source_delete_reaches_derived",),
           {"firsthand.blanking._unname": lambda writer, target: None}),
    Mutant("the text index keeps erased words", ("evidence.source_delete_reaches_derived",),
           {"firsthand.store.sqlite_write.SqliteWriter.blank_doc": lambda self, scope_id, doc: None,
            "firsthand.store.sqlite_write.SqliteWriter.shelve": never_off_the_shelf}),
    Mutant("a certificate is silent on what is out of reach", ("deletion.thirteen_steps_erase",),
           {"firsthand.capture.certify._told": lambda *given: []}),
    Mutant("what is said meets no tombstone", ("gateway.no_bypass_path", "deletion.thirteen_steps_reject"),
           {"firsthand.capture.gateway.met_by": lambda *given: ()}),
    Mutant("an importer writes past the gateway's tombstones", ("gateway.no_bypass_path",),
           {"firsthand.capture.gateway.met_by": meeting_unless_imported}),
    Mutant("reasons meet no tombstone", ("gateway.no_bypass_path",),
           {"firsthand.capture.gateway.met_by": meeting_without_reasons,
            "firsthand.recall.reading.Hindsight.marks": lambda self, rows: {}}),
    Mutant("a change is held against no tombstone", ("tombstone.laundering_sequence",),
           {"firsthand.capture.admitting.would_block": unless_it_is_a_change("would_block"),
            "firsthand.capture.admitting.refused_words": unless_it_is_a_change("refused_words")}),
    Mutant("retention sweeps tombstones", ("tombstone.survives_ttl_and_prune",),
           {"firsthand.capture.aftermath.retain": retaining_no_tombstones,
            "firsthand.rules.tombstones._binds": not_what_was_swept}),
    Mutant("no tombstone binds what was inferred", ("tombstone.reextraction_stays_inactive",),
           {"firsthand.rules.tombstones._binds": not_what_was_inferred,
            "firsthand.capture.inferring.forbidding": lambda *given: None,
            "firsthand.recall.beside.Beside._on": lambda self, claim: ()}),
    Mutant("an erasure leaves the words",
           ("deletion.absent_after_reindex_and_restart", "deletion.thirteen_steps_erase"),
           {"firsthand.store.sqlite_write.SqliteWriter.blank_body": lambda self, entry_id: None}),
    Mutant("an import takes no erasure over", ("deletion.absent_from_shared_copies",),
           {"firsthand.moving.surveying.Survey.taken": taking_no_erasure}),
    Mutant("an import skips fingerprints", ("deletion.absent_from_shared_copies",),
           {"firsthand.moving.importing.destroy_copies": lambda *given: 0}),
    Mutant("what arrives meets no tombstone", ("gateway.no_bypass_path",),
           {"firsthand.moving.importing.tell_meetings": lambda *given: None}),
    Mutant("a restore is told nothing of later erasures", ("deletion.absent_from_shared_copies",),
           {"firsthand.restoring._later": lambda *given: ()}),
    Mutant("a correction reaches by its own clock", ("life.clock_skewed_writer",),
           {"firsthand.capture.revise._leave": reaching_by_its_own_clock}),
    Mutant("a tool's receipt is silent on conflicts", ("contradiction.replacement.plain",),
           {"firsthand.surfaces.mcp.tools._plain": receipts_without_conflicts}),
    Mutant("a tool's answer qualifies nothing", ("contradiction.bounded_validity.plain",),
           {"firsthand.surfaces.mcp.tools.told": answers_without(r"(?<=claim); [^()]+(?=\) \[)")}),
    Mutant("a tool's answer does not set conflicts apart", ("contradiction.replacement.plain",),
           {"firsthand.surfaces.mcp.tools.told": answers_without("^Possibly in conflict:\n")}),
    Mutant("a tool's answer does not say where a conflict ends", ("contradiction.partial_supersession.plain",),
           {"firsthand.surfaces.mcp.tools.told": answers_without(r"^The conflict ends here\.\n")}),
]  # fmt: skip

ONLY_ANSWERS = frozenset((
    "firsthand.capture.admitting.refused_words", "firsthand.capture.admitting.would_block",
    "firsthand.capture.claims.assertions", "firsthand.capture.gateway.met_by",
    "firsthand.capture.ground._check_effective", "firsthand.capture.inferring.forbidding",
    "firsthand.learning.jobs.Jobs._at", "firsthand.learning.queue.documents",
    "firsthand.recall.beside.Beside._on", "firsthand.recall.fill.contradicted",
    "firsthand.recall.fill.with_near_conflicts", "firsthand.recall.pack._size",
    "firsthand.recall.reading.may_read", "firsthand.rules.access.Handle.scopes", "firsthand.rules.identity.name_key",
    "firsthand.rules.identity.statement_key", "firsthand.rules.standing._contested",
    "firsthand.rules.standing.approvals", "firsthand.rules.tombstones._binds",
    "firsthand.rules.tombstones._bound_provisionally", "firsthand.rules.values.name_key",
    "firsthand.store.sqlite_read.SqliteReader.positions_bearing_on",
    "firsthand.store.sqlite_read.SqliteReader.postings",
))  # fmt: skip
"""What changes nothing, whole or broken, so that both can be asked side by side what they would answer."""
