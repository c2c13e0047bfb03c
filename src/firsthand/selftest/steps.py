"""Section B: deletion in thirteen steps, for a rejection and for an erasure, with words of several lengths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

import firsthand
from firsthand.memory import Memory
from firsthand.selftest.outcomes import FailedError, Outcome, UnavailableError, check
from firsthand.selftest.world import EVERYTHING, World, verb, word
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.erasure import Certificate, Proof
from firsthand.vocabulary.errors import AbsentError

How = Literal["reject", "erase"]
LENGTHS: Final = (8, 12, 13, 40)
SECOND: Final = "project:second"
REASON: Final = "privacy"
BINS: Final[dict[Proof, str]] = {
    "proven_clean": "purged",
    "declared_controlled": "declared and controlled",
    "not_provable": "declared and not controllable",
    "residue": "undeclared",
}
"""Where an erasure leaves residue, by what its certificate says of a place."""
BEYOND_REACH: Final = ("before/", "second.db")
"""What the certificate calls copies of the file and other stores: an export made before, and a store not told yet."""
STEPS: Final = {
    1: "a fact nobody could guess is written",
    2: "it is recalled",
    3: "it is rejected, or erased",
    4: "it is not recalled",
    5: "its source comes in again",
    6: "it is still not recalled",
    7: "every background job runs",
    8: "it is still not recalled",
    9: "of its residue, in four bins, nothing is undeclared: in no answer, index or file",
    10: "the audit shows the deletion and not the value",
    11: "before that: it was shared, exported, and taken in by a second store",
    12: "the original is deleted",
    13: "it is gone from the second scope, and from the second store once told",
}


class StepResult(NamedTuple):
    """What became of one step. `why` is set unless it passed."""

    number: int
    outcome: Outcome
    why: str | None = None


class Deletion(NamedTuple):
    """One fact on its way out."""

    world: World
    ana: Memory
    how: How
    token: str
    sibling: str
    source: str
    record: str
    deleted: list[str]
    """The entry that deleted it, once it is there."""

    @property
    def question(self) -> str:
        """What the fact answers, without its words."""
        return "what opens the safe?"

    @property
    def place(self) -> str:
        """The folder of this fact, below the world's."""
        return f"{self.how}{len(self.token)}"

    @property
    def folder(self) -> Path:
        """Where all files of this fact lie."""
        return self.world.folder / self.place

    def files_of(self, database: str) -> dict[str, bytes]:
        """Every byte of a database and what lies beside it."""
        beginning = str(Path(self.place) / database)
        return {name: data for name, data in self.world.files().items() if name.startswith(beginning)}

    def second_store(self) -> Memory:
        """The store that takes in what this one exports."""
        return self.world.person("ben", file=f"{self.place}/second.db")

    def recalled(self, memory: Memory | None = None) -> bool:
        """Whether the fact is offered, as a claim or in what was said."""
        asked = memory or self.ana
        packets = [asked.recall(q, limit=50) for q in (self.question, f"{self.question} {self.token}", "safe")]
        shown = [i.text for p in packets for i in (*p.items, *(i for c in p.conflicts for i in c.items))]
        shown += [c.quote for p in packets for i in p.items for c in i.citations]
        return any(self.token in text for text in shown)


def begin(world: World, how: How, length: int) -> Deletion:
    """Step 1, with a sibling of the same batch."""
    ana = world.person(file=f"{how}{length}/memory.db")
    token, sibling = word(length), word(length)
    talks = ana.capture_many({"text": f"The safe opens with {t}.", "speaker": "Ana"} for t in (token, sibling)).receipts
    made = [
        ana.remember(subject="safe", predicate="opens_with", object=t, evidence=[cite(str(talk.record_id), quote=t)])
        for t, talk in zip((token, sibling), talks, strict=True)
    ]
    return Deletion(world, ana, how, token, sibling, str(talks[0].record_id), str(made[0].record_id), [])


def thirteen(world: World, how: How, length: int) -> list[StepResult]:
    """Every step in its order. The first that fails has the leak; later ones cannot tell it from one of their own."""
    results = _taken(begin(world, how, length))
    order = [3, 4, 5, 6, 7, 8, 9, 10, 12, 13]
    leak = next((r.number for r in sorted(results, key=_place) if r.outcome == "fail"), None)
    if leak not in order:
        return results
    late = order[order.index(leak) + 1 :]
    return [StepResult(r.number, "unavailable", f"step {leak} failed") if r.number in late else r for r in results]


def _place(step: StepResult) -> int:
    """The order in which steps are taken: copies are made before anything is deleted."""
    return 2 if step.number == 11 else step.number


def _taken(fact: Deletion) -> list[StepResult]:
    results = [StepResult(1, "pass"), _saying(2, fact.recalled(), "it is not recalled")]
    copies: list[StepResult] = [_attempt(11, lambda: _copy(fact))]
    third = _attempt(3, lambda: _delete(fact))
    results.append(third)
    if third.outcome != "pass":
        return results + copies + [StepResult(n, "unavailable", third.why) for n in (*range(4, 11), 12, 13)]
    results.append(_saying(4, not fact.recalled(), "it is still recalled"))
    results.append(_attempt(5, lambda: _feed(fact)))
    results.append(_saying(6, not fact.recalled(), "it came back with its source"))
    results.append(_attempt(7, lambda: _jobs(fact)))
    results.append(_after(8, results[-1], lambda: None if not fact.recalled() else "a job brought it back"))
    results.append(_attempt(9, lambda: _residue(fact)))
    results.append(_attempt(10, lambda: _audit(fact)))
    results += [*copies, StepResult(12, "pass"), _after(13, copies[0], lambda: _gone_from_copies(fact))]
    return results


def _saying(number: int, holds: bool, otherwise: str) -> StepResult:
    return StepResult(number, "pass") if holds else StepResult(number, "fail", otherwise)


def _attempt(number: int, step: Callable[[], None]) -> StepResult:
    try:
        step()
    except UnavailableError as reason:
        return StepResult(number, "unavailable", str(reason))
    except FailedError as failure:
        return StepResult(number, "fail", str(failure))
    return StepResult(number, "pass")


def _after(number: int, before: StepResult, look: Callable[[], str | None]) -> StepResult:
    """A step that looks at what an earlier one did."""
    if before.outcome == "unavailable":
        return StepResult(number, "unavailable", before.why)
    why = look()
    return _saying(number, why is None, why or "")


def _delete(fact: Deletion) -> None:
    if fact.how == "reject":
        done = verb(fact.ana, "reject")(fact.record, reason="never again")
    else:
        done = verb(fact.ana, "erase")(value=("safe", "opens_with", fact.token), reason_code=REASON)
    fact.deleted.append(str(done.entry_id))


def _feed(fact: Deletion) -> None:
    """The same source by other paths: heard again, imported, extracted by an agent."""
    fact.world.clock.pass_days(1)
    agent = fact.world.agent(file=f"{fact.place}/memory.db")
    text = f"The safe opens with {fact.token}."
    talk = fact.ana.capture(text, speaker="Ana", imported=True, source_id="again")
    cited = [cite(str(talk.record_id))] if talk.record_id is not None else []
    agent.remember(subject="safe", predicate="opens_with", object=fact.token, evidence=cited)
    fact.ana.capture(text, speaker="Ana")


def _jobs(fact: Deletion) -> None:
    verb(fact.ana, "jobs", "run")()


def _copy(fact: Deletion) -> None:
    """Shared to a second scope, exported, and taken in by a second store."""
    verb(fact.ana, "share")(fact.record, SECOND, reason="they need it too")
    key = fact.ana.peers.share_key(fact.folder / "space.key")
    verb(firsthand, "join")(fact.folder / "second.db", key)
    there = fact.second_store()
    there.peers.register(fact.ana.peers.own().key, trust="person")
    _sync(fact, "before")
    if not fact.recalled(there) or not fact.recalled(fact.ana.at(scope=SECOND)):
        raise FailedError("no copy was made", in_control=True)


def _sync(fact: Deletion, name: str) -> None:
    """The second store is told all that the first one knows."""
    verb(fact.ana, "ledger", "export")(fact.folder / name)
    fact.second_store().ledger.take_in(fact.folder / name)


def _gone_from_copies(fact: Deletion) -> str | None:
    if fact.recalled(fact.ana.at(scope=SECOND)):
        return "it is still recalled in the second scope"
    _sync(fact, "after")
    if fact.recalled(fact.second_store()):
        return "it is still recalled in the second store"
    held = [n for n, data in fact.files_of("second.db").items() if fact.token.encode() in data]
    return f"undeclared residue in {len(held)} files of the second store" if fact.how == "erase" and held else None


def _residue(fact: Deletion) -> None:
    """Every read, and for an erasure every byte of every file: none may hold it that was not declared."""
    packets = [fact.ana.recall(q, include=EVERYTHING, limit=50) for q in (fact.question, "safe", "")]
    said = "".join(repr((p.items, p.conflicts)) for p in packets)
    if fact.token in said:
        raise FailedError("it is still told when everything is asked for")
    if fact.sibling not in said:
        raise FailedError("its sibling is gone as well", in_control=True)
    if fact.how == "erase":
        bins = _bins(fact)
        if bins["undeclared"]:
            raise FailedError(f"undeclared residue in {', '.join(bins['undeclared'])}")
        for name in ("purged", "declared and controlled", "declared and not controllable"):
            if not bins[name]:
                raise FailedError(f"the certificate names nothing as {name}")


def _bins(fact: Deletion) -> dict[str, list[str]]:
    """Where the words were, as the certificate says, and what a sweep of every file finds beside that."""
    bins: dict[str, list[str]] = {name: [] for name in BINS.values()}
    for place in _certificate(fact).places:
        bins[BINS[place.proof]].append(place.place)
    for path in sorted(p for p in fact.folder.rglob("*") if p.is_file()):
        name = path.relative_to(fact.folder).as_posix()
        if fact.token.encode() in path.read_bytes() and not name.startswith(BEYOND_REACH):
            bins["undeclared"].append(name)
    return bins


def _certificate(fact: Deletion) -> Certificate:
    return verb(fact.ana, "erasure", "certificate")(fact.deleted[0])


def _audit(fact: Deletion) -> None:
    """What can be said of the deletion shows it, and is free of its words."""
    told = repr(fact.ana.stats()) + repr(verb(fact.ana, "refusals")()) + repr(fact.ana.erasure.due())
    if fact.how == "erase":
        certificate = _certificate(fact)
        shown = certificate.reason_code == REASON and certificate.bodies > 0 and certificate.clean
        told += repr(certificate) + repr(fact.ana.ledger.head())
    else:
        shown = any(r.cause_entry == fact.deleted[0] for r in fact.ana.refusals().refusals)
    try:
        told += repr(fact.ana.history(fact.record))
    except AbsentError:
        told += "absent"
    if fact.token in told:
        raise FailedError("the audit repeats the value")
    if not shown:
        raise FailedError("the audit does not show the deletion")


def _enter(how: How) -> None:
    @check(
        f"deletion.thirteen_steps_{how}",
        section="B",
        given=f"facts of {', '.join(map(str, LENGTHS))} letters that nobody could guess",
        when=f"each is written, recalled, {'rejected' if how == 'reject' else 'erased'}, fed again and looked for",
        then="; ".join(f"{n} {what}" for n, what in STEPS.items()),
        control="it was recalled before, and its sibling of the same batch still is",
    )
    def run(world: World) -> str:
        missing: dict[int, str] = {}
        for length in LENGTHS:
            for step in thirteen(world, how, length):
                if step.number == 2:
                    world.control(step.outcome == "pass", f"{length} letters, step 2: {step.why}")
                world.expect(step.outcome != "fail", f"{length} letters, step {step.number}: {step.why}")
                if step.outcome == "unavailable":
                    missing[step.number] = str(step.why)
        if missing:
            first = min(missing)
            raise UnavailableError(f"steps {', '.join(map(str, sorted(missing)))} could not be taken: {missing[first]}")
        return f"Thirteen steps hold for {len(LENGTHS)} lengths."

    assert run


for _how in ("reject", "erase"):
    _enter(_how)
