"""Section A, evidence: every claim leads to its words, loses its standing with them, and survives a rebuild."""

from __future__ import annotations

from firsthand.memory import Memory
from firsthand.selftest.outcomes import check
from firsthand.selftest.world import World, everything_said, verb, word
from firsthand.vocabulary.citing import cite
from firsthand.vocabulary.packets import Packet


@check(
    "evidence.claim_resolves_to_source",
    section="A",
    given="claims with cited words, without, repeated by others, corrected",
    when="every claim of a rendered packet is followed to what it cites",
    then="each leads to a live source and the exact words of its span; none is orphaned",
    control="claims were in the packet, the cited one with exactly the words that were cited",
)
def claim_resolves_to_source(world: World) -> str:
    """Citations are followed from the packet, not from the store."""
    ana, ben = world.person("ana"), world.person("ben")
    tool, quote = word(), "built with"
    talk = ana.capture(f"Yes, since May the shop is {quote} {tool}, and it works.", speaker="Ana")
    exact = f"{quote} {tool}"
    claim = ana.remember(f"the shop is {quote} {tool}", evidence=[cite(str(talk.record_id), quote=exact)])
    port = ana.remember(subject="shop", predicate="port", object=8080)
    ana.correct(port.record_id, object=9090, reason="misread")
    ben.remember(subject="shop", predicate="port", object=9090)
    packet = ana.recall("shop", limit=50)
    claims = [item for item in packet.items if item.kind == "semantic"]
    world.control(len(claims) >= 2, "no claims are in the packet")
    cited = [c.quote for i in claims if i.record_id == claim.record_id for c in i.citations]
    world.control(len(cited) == 1 and exact in cited[0], "the words that were cited are not shown at all")
    world.expect(cited == [exact], "more is quoted than was cited")
    followed = 0
    for item in claims:
        world.expect(item.citations, "a claim is orphaned")
        for citation in item.citations:
            source = ana.read(citation.record_id).item
            start, end = citation.span
            world.expect(source.text[start:end] == citation.quote, "a quote is not what stands at its span")
            world.expect(source.status == "active", "a cited source no longer stands")
            world.expect(citation.quote in packet.render(), "a quote of the packet is not in its text")
            followed += 1
    return f"{followed} citations of {len(claims)} claims lead to live sources and the exact words of their spans."


@check(
    "evidence.source_delete_reaches_derived",
    section="A",
    given="two sources, and of each a claim, a skill, a plan, names, relations and a claim that cites that claim",
    when="one source is erased",
    then="of every kind, what rested only on it is gone or no longer active, however many steps away",
    control="the sibling source and all that hangs on it are untouched",
)
def source_delete_reaches_derived(world: World) -> str:
    """Asserted kind by kind."""
    ana = world.person()
    erase = verb(ana, "erase")
    gone, kept = word(), word()
    derived = {token: _derive(ana, token) for token in (gone, kept)}
    queries = (gone, kept, f"how is {gone} done?", "")
    world.control(gone in everything_said(ana, queries), "nothing of the first source is recalled")
    erase(derived[gone]["source"], reason_code="privacy")
    said = everything_said(ana, queries)
    for kind, record in derived[kept].items():
        world.control(ana.read(record).item.status == "active", f"the sibling's {kind} is no longer active")
    world.control(kept in said, "the sibling's words are no longer recalled")
    world.expect(gone not in said, "words of the erased source are still recalled")
    for kind, record in derived[gone].items():
        standing = _status(ana, record)
        world.expect(standing != "active", f"the erased source's {kind} is still active")
    head = ana.ledger.verify(deep=True)
    return f"Claims, a skill, a plan and what cites them fell with their source; {head.entries} entries verify."


def _derive(ana: Memory, token: str) -> dict[str, str]:
    """One record of every kind that rests on one source."""
    talk = ana.capture(f"To ship {token}, build it and push it.", speaker="Ana", thread=token)
    source = [cite(str(talk.record_id), quote=f"ship {token}")]
    claim = ana.remember(subject=token, predicate="status", object="shipped", evidence=source)
    skill = ana.remember(
        payload={"kind": "competence", "skill_name": f"ship {token}", "triggers": [{"signal": token}],
                 "recipe": [{"step": f"push {token}"}]},
        evidence=source,
    )  # fmt: skip
    plan = ana.remember(
        payload={"kind": "plan_graph", "plan_id": f"plan {token}", "version": "1", "intent": f"ship {token}",
                 "nodes": [{"id": "a", "op": f"build {token}"}], "edges": []},
        evidence=source,
    )  # fmt: skip
    after = ana.remember(f"{token} is done", evidence=[cite(str(claim.record_id), quote=token)])
    last = ana.remember(f"{token} may be announced", evidence=[cite(str(after.record_id), quote=token)])
    ana.relate(str(claim.record_id), "led_to", str(plan.record_id), reason="same talk")
    made = {"source": talk, "claim": claim, "skill": skill, "plan": plan, "second step": after, "third step": last}
    return {kind: str(receipt.record_id) for kind, receipt in made.items()}


def _status(memory: Memory, record: str) -> str:
    from firsthand.vocabulary.errors import AbsentError

    try:
        return memory.read(record).item.status
    except AbsentError:
        return "absent"


@check(
    "evidence.rebuild_from_retained",
    section="A",
    given="words nobody could guess in every kind of record, corrected, supported, related, classified",
    when="every projection and index is dropped and made anew from the ledger",
    then="the words come back in the rendered packets, and the digests of the projections are equal",
    control="the words were in the packets before",
)
def rebuild_from_retained(world: World) -> str:
    """The ledger alone is enough."""
    ana, ben = world.person("ana"), world.person("ben")
    tokens = [word() for _ in range(5)]
    talk = ana.capture(f"The staging host is called {tokens[0]}.", speaker="Ana", thread="t")
    ana.remember(f"staging is {tokens[0]}", evidence=[cite(str(talk.record_id), quote=tokens[0])])
    ana.remember(
        payload={"kind": "competence", "skill_name": f"rotate {tokens[1]}", "triggers": [{"signal": "keys are old"}],
                 "recipe": [{"step": f"run {tokens[1]}"}]},
    )  # fmt: skip
    guess = world.agent("cid").remember(f"the mirror is {tokens[2]}", basis="inferred")
    ben.remember(f"the mirror is {tokens[2]}")
    wrong = ana.remember(subject="proxy", predicate="is_called", object=word())
    ana.correct(wrong.record_id, object=tokens[3], reason="misheard")
    ana.relate(str(wrong.record_id), "beside", str(guess.record_id), reason="same rack")
    ana.remember(payload={"kind": "working", "thread_id": "t", "state": "executing", "context_summary": tokens[4]})
    before = [_comparable(ana.recall(token)) for token in tokens]
    world.control(
        all(t in ana.recall(t).render() for t in tokens), "not every word is recalled even before the rebuild"
    )
    report = ana.ledger.rebuild()
    world.expect(report.same, "the rebuilt projections have another digest")
    for token, was in zip(tokens, before, strict=True):
        world.expect(token in ana.recall(token).render(), "a word did not come back")
        world.expect(_comparable(ana.recall(token)) == was, "an answer changed by the rebuild")
    ana.ledger.verify(deep=True)
    return (
        f"{len(tokens)} unguessable words came back from {report.entries} entries, digest {report.digest_after[:12]}."
    )


def _comparable(packet: Packet) -> list[tuple[str, str, str, int]]:
    """What a packet says, without its own id and nonce."""
    return [(i.record_id, i.text, i.status, i.supports) for i in packet.items]
