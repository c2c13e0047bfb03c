"""Sections A and B, deletion: what was erased is gone from every answer, every file and every copy within reach."""

from __future__ import annotations

from typing import Final

import firsthand
from firsthand.memory import Memory
from firsthand.selftest.outcomes import check
from firsthand.selftest.world import World, everything_said, verb, word
from firsthand.vocabulary.citing import cite

SECOND: Final = "project:second"


@check(
    "deletion.absent_after_reindex_and_restart",
    section="A",
    given="two facts of one batch, one of them erased",
    when="jobs run, the projections are made anew, it is exported, and the memory is opened again",
    then="every probe is empty, and the audit shows the erasure without the value",
    control="its sibling from the same batch is present",
)
def absent_after_reindex_and_restart(world: World) -> str:
    """Looked for in answers and in the bytes of every file."""
    ana = world.person()
    erase = verb(ana, "erase")
    gone, kept = word(), word()
    talks = ana.capture_many({"text": f"The safe opens with {t}.", "speaker": "Ana"} for t in (gone, kept)).receipts
    for token, talk in zip((gone, kept), talks, strict=True):
        ana.remember(f"the safe opens with {token}", evidence=[cite(str(talk.record_id), quote=token)])
    world.control(gone in ana.recall("safe").render(), "the fact was never recalled")
    done = erase(str(talks[0].record_id), reason_code="privacy")
    verb(ana, "jobs", "run")()
    world.expect(ana.ledger.rebuild().same, "a rebuild of what was erased says something else")
    verb(ana, "ledger", "export")(world.folder / "export")
    ana.close()
    again = world.person()
    said = everything_said(again, ("safe", "what opens the safe?", ""))
    world.control(kept in said, "the sibling is gone as well")
    world.expect(gone not in said, "the erased words are recalled")
    world.expect(not _files_with(world, gone), "the erased words lie in a file of the store or of the export")
    world.control(
        any(name.startswith("export") for name in _files_with(world, kept)), "the sweep finds not even what is there"
    )
    audit = repr(verb(again, "erasure", "certificate")(done.certificate.id)) + repr(verb(again, "refusals")())
    world.expect(done.plan.hash in audit, "the audit does not show the erasure")
    world.expect(gone not in audit, "the audit repeats the erased words")
    again.ledger.verify(deep=True)
    return "Erased, rebuilt and opened again: no answer and no file holds the words; the sibling is there."


@check(
    "deletion.absent_from_shared_copies",
    section="A",
    given="a fact that was shared to a second scope, exported, backed up, and taken in by a second store",
    when="the original is erased, the second store is told, and the old export and the old backup are brought back",
    then="it is gone from the second scope and the second store, and neither old copy brings it back",
    control="the second scope's and the second store's own material stays",
)
def absent_from_shared_copies(world: World) -> str:
    """A copy dies with its original; what lies outside, such as the export itself, is not ours to reach."""
    ana = world.person()
    erase, share = verb(ana, "erase"), verb(ana, "share")
    export, back_up, key = verb(ana, "ledger", "export"), verb(ana, "ledger", "backup"), verb(ana, "peers", "share_key")
    gone, kept, own = word(), word(), word()
    facts = [ana.remember(subject=s, predicate="opens_with", object=t) for s, t in (("safe", gone), ("shed", kept))]
    for fact in facts:
        share(str(fact.record_id), SECOND, reason="they need it")
    second_scope = ana.at(scope=SECOND)
    second_scope.remember(f"the second scope has a {own}")
    key(world.folder / "space.key")
    verb(firsthand, "join")(world.folder / "second.db", world.folder / "space.key")
    there = world.person(file="second.db")
    there.remember(f"the second store has a {own}")
    there.peers.register(ana.peers.own().key, trust="person")
    there.capture(f"I heard that the safe opens with {gone}.", speaker="Ben")
    ana.capture(f"I heard that the safe opens with {gone}.", speaker="Ana")
    export(world.folder / "old")
    back_up(world.folder / "backup")
    there.ledger.take_in(world.folder / "old")
    world.control(
        gone in there.recall("safe").render() and gone in second_scope.recall("safe").render(), "no copy was made"
    )
    erase(value=("safe", "opens_with", gone), reason_code="privacy")
    export(world.folder / "new")
    for folder in ("new", "old"):
        there.ledger.take_in(world.folder / folder)
        for memory in (ana, second_scope, there):
            world.expect(gone not in everything_said(memory, ("safe", "")), f"a copy told it after the {folder} export")
        world.expect(not _files_with(world, gone, "second.db"), f"the second store holds it after the {folder} export")
    restored = _restored(world, "new")
    world.expect(gone not in everything_said(restored, ("safe", "")), "the old backup brought it back")
    world.expect(not _files_with(world, gone, "restored"), "a file of the restored store holds it")
    world.control(kept in restored.recall("shed").render(), "the backup brought nothing back")
    for memory, query in ((second_scope, "second scope"), (there, "second store"), (second_scope, "shed")):
        words = memory.recall(query).render()
        world.control(own in words or kept in words, "what was not erased is gone as well")
    return "Erased once, it was gone from the second scope and store; old export and old backup did not bring it back."


def _restored(world: World, erasures: str) -> Memory:
    """The old backup beside nothing, told of what a later export says was erased."""
    restore = verb(firsthand, "restore")
    restore(world.folder / "backup", world.folder / "restored.db", erasures=world.folder / erasures)
    return world.person(file="restored.db")


def _files_with(world: World, token: str, beginning: str = "") -> list[str]:
    held = {name: data for name, data in world.files().items() if name.startswith(beginning)}
    return [name for name, data in held.items() if token.encode() in data]
