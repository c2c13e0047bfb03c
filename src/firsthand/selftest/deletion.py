"""Sections A and B, deletion: what was erased is gone from every answer, every file and every copy within reach."""

from __future__ import annotations

from firsthand.selftest.outcomes import check
from firsthand.selftest.world import World, everything_said, verb, word
from firsthand.vocabulary.citing import cite


@check(
    "deletion.absent_after_reindex_and_restart",
    section="A",
    given="two facts of one batch, one of them erased",
    when="jobs run, the projections are made anew, and the memory is opened again",
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
    erase(str(talks[0].record_id), reason_code="privacy")
    world.expect(ana.ledger.rebuild().same, "a rebuild of what was erased says something else")
    ana.close()
    again = world.person()
    said = everything_said(again, ("safe", "what opens the safe?", ""))
    world.control(kept in said, "the sibling is gone as well")
    world.expect(gone not in said, "the erased words are recalled")
    world.expect(not _files_with(world, gone), "the erased words lie in a file")
    world.control(bool(_files_with(world, kept)), "the sweep of the files finds not even what is there")
    again.ledger.verify(deep=True)
    return "Erased, rebuilt and opened again: no answer and no file holds the words; the sibling is there."


def _files_with(world: World, token: str) -> list[str]:
    return [name for name, held in world.files().items() if token.encode() in held]
