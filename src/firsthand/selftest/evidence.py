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
    given="two sources, and of each a claim, a skill, a plan, a name that a bystander uses, relations, words in the "
    "text index, and a claim that cites that claim",
    when="one source is erased",
    then="of every kind, what rested only on it is gone or no longer active, however many steps away",
    control="the sibling source and all that hangs on it are untouched",
)
def source_delete_reaches_derived(world: World) -> str:
    """Asserted kind by kind."""
    ana = world.person()
    erase = verb(ana, "erase")
    gone, kept = (Derived(ana, word(), word()) for _ in range(2))
    queries = (gone.token, kept.token, f"how is {gone.token} done?", "")
    world.control(gone.token in everything_said(ana, queries), "nothing of the first source is recalled")
    before = _traces(ana, gone)
    for kind, there in before.items():
        world.control(there, f"there was no {kind} of the first source")
    erase(gone.records["source"], reason_code="privacy")
    said = everything_said(ana, queries)
    for kind, record in kept.records.items():
        world.control(ana.read(record).item.status == "active", f"the sibling's {kind} is no longer active")
    for kind, there in _traces(ana, kept).items():
        world.control(there, f"the sibling's {kind} is gone as well")
    world.control(kept.token in said, "the sibling's words are no longer recalled")
    world.expect(gone.token not in said, "words of the erased source are still recalled")
    for kind, there in _traces(ana, gone).items():
        world.expect(not there, f"a {kind} of the erased source is left")
    for kind, record in gone.records.items():
        standing = _status(ana, record)
        world.expect(standing != "active", f"the erased source's {kind} is still active")
    head = ana.ledger.verify(deep=True)
    return (
        f"{', '.join([*gone.records, *before])}: each fell with its source, its sibling did not; "
        f"{head.entries} entries verify."
    )


class Derived:
    """One record of every kind that rests on one source, and a bystander that only uses its name."""

    def __init__(self, ana: Memory, token: str, name: str) -> None:
        self.token, self.name = token, name
        talk = ana.capture(f"To ship {token}, ask {name}, build it and push it.", speaker="Ana", thread=token)
        source = [cite(str(talk.record_id), quote=f"ship {token}")]
        claim = ana.remember(subject=name, predicate="ships", object=token, evidence=source)
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
        made = {"source": talk, "claim": claim, "skill": skill, "plan": plan, "second step": after, "third step": last}
        self.records = {kind: str(receipt.record_id) for kind, receipt in made.items()}
        self.bystander = str(ana.capture(f"yesterday {name} was late", speaker="Ben").record_id)
        ana.relate(self.bystander, "beside", self.records["claim"], reason="same talk")
        ana.relate(self.records["claim"], f"led to {token}", self.bystander, reason="same talk")


def _traces(ana: Memory, derived: Derived) -> dict[str, bool]:
    """What else was made of a source than records: whether it is there."""
    found = ana.explain(derived.name, derived.bystander)
    relations = ana.read(derived.bystander).relations
    swept = ana.erasure.sweep(derived.token)
    return {
        "mention": any(why.arm == "entity" for why in found.why),
        "relation to it": any(r.relation == "beside" for r in relations),
        "relation of it": any(r.relation.startswith("led_to") for r in relations),
        "word in the text index": any(hit.form == "vocabulary" for hit in swept.hits),
        "byte in a file": any(hit.form != "vocabulary" for hit in swept.hits),
    }


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
