"""After an erasure: clean the file, look for what may be left in it, and certify what is proven of it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from firsthand.capture.erase_plan import Found, every_row
from firsthand.capture.gateway import Gateway
from firsthand.ports import LedgerRow, Reader, Residue, Scrubbed, Writer
from firsthand.rules import normalise, terms
from firsthand.rules.access import Handle
from firsthand.rules.destroying import Wanted, folded_body
from firsthand.rules.residue import Needle, needles
from firsthand.rules.wordlists import IRREGULAR_FORMS
from firsthand.stored import entry_of
from firsthand.vocabulary.entries import Erase
from firsthand.vocabulary.erasure import Certificate, Erasure, ErasurePlan, Place, Proof
from firsthand.vocabulary.errors import AbsentError, BusyError

BODIES_LOOKED_FOR: Final = 64
"""Of how many destroyed bodies, evenly chosen, the sweep looks for their own random salts."""
NOT_PROVABLE: Final = (
    (
        "copies of the file",
        "backups, snapshots and exports made before hold what they held; import honours this erasure",
    ),
    ("other stores", "a store that has these entries destroys its copies when it receives the erase entry"),
    ("other processes", "their next read finds nothing; what their memory still holds is theirs"),
    ("the disk below the file", "the file system and the device may keep blocks that the file no longer has"),
)
CONTROLLED: Final = (
    ("fingerprints and tombstones", "keyed digests in the erase entries, which keep the words from coming in again"),
    ("skeletons", "keyed digests of names and values; they say nothing without the key file"),
    ("idempotency keys and refusals", "keyed digests and codes"),
    ("receipts of recalls", "who asked and when; what was delivered of these records is forgotten"),
    ("this process", "its caches were emptied; the interpreter does not overwrite memory it has given back"),
)


ENDPOINTS: Final = "endpoints that made vectors"
"""Where words were sent to while the embedder of the space was on another machine."""
OTHER_WORDS: Final = "other words"
TRUTHS: Final = ("true", "false")
"""Values that say nothing of what they are the value of: every file is full of them."""


class Proofs(NamedTuple):
    """What a sweep looks for: salts of destroyed bodies, their vectors, and the words where no other body holds them.

    `indexed`: those of which no other body holds every term, together or apart, so that the word indexes hold none.
    `stays`: how many other bodies hold the value, without its subject.
    """

    salts: tuple[str, ...]
    vectors: tuple[bytes, ...]
    words: tuple[str, ...]
    indexed: tuple[str, ...]
    stays: int


class _Cleaning(NamedTuple):
    """What a cleaning of the file did, and what a sweep then found; without proofs there was none."""

    files: Sequence[str]
    scrubbed: Scrubbed
    left: Sequence[Residue]
    proofs: Proofs | None

    @property
    def is_clean(self) -> bool:
        """Whether nothing is known to be left."""
        return self.scrubbed.log == "truncated" and not self.left


def proofs_of(reader: Reader, handle: Handle, found: Found, wanted: Sequence[Wanted]) -> Proofs:
    """What to look for once the bodies are gone; asked while they are there."""
    salts = sorted(row.salt for row in reader.rows_of(found.gone).values() if row.salt is not None)
    step = max(1, -(-len(salts) // BODIES_LOOKED_FOR))
    vids = [doc.vid for doc in map(reader.doc, sorted(found.gone)[::step]) if doc is not None]
    vectors = sorted({vector for _, vector in reader.vectors_of(vids)})
    return Proofs(tuple(salts[::step]), tuple(vectors), *_only_there(reader, found, wanted))


def _only_there(reader: Reader, found: Found, wanted: Sequence[Wanted]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """The forms that no body which stays holds, those of whose terms none holds all, and how many hold others."""
    forms = {f: Wanted((), (f,)) for w in wanted for f in (*w.values, *w.statements) if f not in TRUTHS}
    made_of = {form: terms.terms(form) for form in forms}
    elsewhere: set[str] = set()
    apart: set[str] = set()
    stays = 0
    for row in every_row(reader) if forms else ():
        if row.body is not None and row.entry_id not in found.gone and _quick(row, made_of):
            text = folded_body(row.body)
            held = {form for form, w in forms.items() if w.stands_in(text)}
            elsewhere |= held
            apart |= {form for form, own in made_of.items() if set(own) <= set(terms.terms(text))}
            stays += bool(held)
    words = tuple(form for form in forms if form not in elsewhere)
    return words, tuple(form for form in words if form not in apart), stays


def _quick(row: LedgerRow, made_of: Mapping[str, Sequence[str]]) -> bool:
    """Whether a body may hold any of the forms, or every term of one."""
    body = (row.body or "").lower()
    return not body.isascii() or any(all(_beginning(t) in body for t in own) for own in made_of.values())


@functools.cache
def _irregular() -> frozenset[str]:
    return frozenset(IRREGULAR_FORMS.values())


def _beginning(term: str) -> str:
    """What every word of a term begins with: a stem may change a last letter, and an irregular one more."""
    return "" if term in _irregular() else term[: max(2, len(term) - 1)]


def owe(writer: Writer, entry_id: str, at: int, plan: ErasurePlan) -> None:
    """Keep what an erasure did, and that the file is not clean of it yet: whoever opens it next finishes that.

    A scope's name is left out of it, since it may be among what was destroyed.
    """
    records = tuple(msgspec.structs.replace(r, scope=None) for r in plan.records)
    nameless = msgspec.structs.replace(plan, records=records, scopes={})
    done = Erasure(plan=nameless, executed=True, entry_id=entry_id)
    writer.put_certificate(entry_id, at, msgspec.json.encode(done).decode(), cleaned=False)


def finish(gateway: Gateway, handle: Handle, entry_id: str, proofs: Proofs | None) -> Certificate:
    """Clean the file, sweep it, and keep the certificate. Without proofs, after a crash, it can only be cleaned."""
    return _finish(gateway, handle, [entry_id], proofs)[0]


def _finish(gateway: Gateway, handle: Handle, entry_ids: Sequence[str], proofs: Proofs | None) -> list[Certificate]:
    """One cleaning of the file for several erasures."""
    forget()
    if gateway.store.embedder is not None:
        gateway.store.embedder.forget()
    scrubbed = gateway.store.scrub()
    looked = [Needle("words", s.encode()) for s in proofs.salts] if proofs is not None else []
    words = proofs.words if proofs is not None else ()
    sought = [n for each in words for n in needles(each) if n.form != "digest" and not n.is_short]
    left = gateway.store.sweep([*looked, *sought], (), proofs.vectors if proofs is not None else ())
    for each in proofs.indexed if proofs is not None else ():
        left += gateway.store.sweep((), terms.terms(each))
    cleaning = _Cleaning(gateway.store.files(), scrubbed, left, proofs)
    with gateway.store.writing(handle.space) as writer:
        return [_certified(handle, writer, entry_id, cleaning) for entry_id in entry_ids]


def _certified(handle: Handle, writer: Writer, entry_id: str, cleaning: _Cleaning) -> Certificate:
    """The certificate of an erasure, kept beside its plan."""
    kept, stored = writer.certificate(entry_id), writer.rows_of([entry_id])
    assert kept is not None
    edges = entry_of(stored[entry_id]).skeleton.edges
    assert isinstance(edges, Erase)
    report = msgspec.json.decode(kept.report, type=Erasure)
    held = writer.embedding()
    sent_to = held.sent_to.split("\n") if held is not None and held.sent_to else []
    certificate = _certificate(handle, entry_id, kept.at, edges.reason_code, report, cleaning, sent_to)
    whole = msgspec.structs.replace(report, certificate=certificate)
    writer.put_certificate(entry_id, kept.at, msgspec.json.encode(whole).decode(), cleaned=cleaning.is_clean)
    return certificate


def finish_all(gateway: Gateway, handle: Handle, *, crashed_only: bool = False) -> tuple[str, ...]:
    """Clean up after erasures that a crash or an old reader kept from it; their ids."""
    with gateway.store.reading(handle.space) as reader:
        rows = reader.unfinished_erasures()
    reports = {row.entry_id: msgspec.json.decode(row.report, type=Erasure) for row in rows}
    waiting = [i for i, report in reports.items() if report.certificate is None or not crashed_only]
    if waiting:
        _finish(gateway, handle, waiting, None)
    return tuple(waiting)


def finish_if_others_let(gateway: Gateway, handle: Handle) -> None:
    """Clean up after erasures that arrived. While others keep the store busy it stays owed, and `doctor` says so."""
    try:
        finish_all(gateway, handle, crashed_only=True)
    except BusyError:
        return


def certificate(gateway: Gateway, handle: Handle, entry_id: str) -> Certificate:
    """The certificate of an erasure again."""
    with gateway.store.reading(handle.space) as reader:
        kept = reader.certificate(entry_id)
    if kept is None:
        raise AbsentError("certificate_absent", "no erasure has this id", field="certificate_id")
    report = msgspec.json.decode(kept.report, type=Erasure)
    return report.certificate or finish(gateway, handle, entry_id, None)


def forget() -> None:
    """Empty what this process remembers of words it has seen."""
    terms.forget()
    normalise.forget()


def _certificate(
    handle: Handle,
    entry_id: str,
    at: int,
    reason_code: str,
    report: Erasure,
    cleaning: _Cleaning,
    sent_to: Sequence[str],
) -> Certificate:
    plan, proofs = report.plan, cleaning.proofs
    endpoints = [(ENDPOINTS, f"what was sent to {', '.join(sent_to)} is outside the reach of this erasure")]
    plain = Certificate(
        id=entry_id,
        space=handle.space,
        at=at,
        plan_hash=plan.hash,
        reason_code=reason_code,
        bodies=len(plan.targets),
        records=len(plan.records),
        kinds=plan.kinds,
        places=(*_swept(cleaning), *_told(CONTROLLED, "declared_controlled"),
                *_told([*NOT_PROVABLE, *(endpoints if sent_to else [])], "not_provable")),
        looked_for=len(proofs.salts) if proofs is not None else 0,
        of=len(plan.targets),
        clean=cleaning.is_clean,
    )  # fmt: skip
    seal = handle.keyed.digest("certificate", msgspec.json.encode(plain, order="sorted").decode())
    return msgspec.structs.replace(plain, seal=seal)


def is_genuine(handle: Handle, shown: Certificate) -> bool:
    """Whether a certificate is one that this space made, unchanged."""
    plain = msgspec.json.encode(msgspec.structs.replace(shown, seal=""), order="sorted").decode()
    return handle.keyed.digest("certificate", plain) == shown.seal


def _swept(cleaning: _Cleaning) -> list[Place]:
    """Each file, both word indexes and the vectors, with what the sweep found in them."""
    files, scrubbed, left, proofs = cleaning
    places: list[Place] = []
    for name in (*files, "lex", "lex_rest", "vector"):
        found = [r for r in left if r.where == name]
        blocked = name.endswith("-wal") and scrubbed.log == "blocked"
        proof: Proof = (
            "residue" if found or blocked else "proven_clean" if proofs is not None else "declared_controlled"
        )
        note = "a reader of an old snapshot keeps the log from being emptied; erase again later" if blocked else ""
        note = note or "; ".join(f"{r.times} × {r.form}" for r in found) or "swept, nothing found"
        places.append(Place(place=name, proof=proof, note=note if proofs is not None else "cleaned, not swept"))
    if proofs is not None and proofs.stays:
        words = (
            f"{proofs.stays} bodies that stay hold the value without its subject, or are names of scopes and people; "
            "`sweep` shows where, `erase` with their ids reaches them"
        )
        places.append(Place(place=OTHER_WORDS, proof="declared_controlled", note=words))
    return places


def _told(places: Sequence[tuple[str, str]], proof: Proof) -> list[Place]:
    return [Place(place=place, proof=proof, note=note) for place, note in places]
