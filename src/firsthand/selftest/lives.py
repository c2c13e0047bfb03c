"""Section D: lives that other memories were not tested with."""

from __future__ import annotations

from firsthand.memory import Memory
from firsthand.selftest.outcomes import UnavailableError, check
from firsthand.selftest.world import EVERYTHING, HandClock, World, current, everything_said, texts, verb, word
from firsthand.vocabulary.errors import AbsentError
from firsthand.vocabulary.grants import Grant

DAYS = 40


@check(
    "life.decay_read_often",
    section="D",
    given="two equal records of equal age",
    when="one is read every day, the other once at the end",
    then="both have the same salience",
    control="salience does decay, and feedback does move it",
)
def decay_read_often(world: World) -> str:
    """Reading is not attention."""
    clocks = HandClock(), HandClock()
    often, once = (world.person(file=f"{n}.db", clock=c) for n, c in enumerate(clocks))
    made = [m.remember("the lamp is green") for m in (often, once)]
    fresh = once.read(str(made[1].record_id)).item.salience
    for _ in range(DAYS):
        clocks[0].pass_days(1)
        often.recall("lamp")
        often.read(str(made[0].record_id))
        often.list()
    clocks[1].at = clocks[0].at
    read = [m.read(str(r.record_id)).item.salience for m, r in zip((often, once), made, strict=True)]
    world.control(read[1] < fresh, "salience does not decay at all")
    world.expect(abs(read[0] - read[1]) < 1e-6, "reading changed how salience decays")
    packet = often.recall("lamp")
    often.feedback(packet.recall_id, outcome="helped")
    world.control(often.read(str(made[0].record_id)).item.salience > read[0], "feedback does not move salience")
    return f"After {DAYS} days both stand at {read[0]:.4f}, read {DAYS} times or once."


@check(
    "life.recall_after_retract",
    section="D",
    given="a claim that was recalled",
    when="it is retracted and the question asked again with every parameter at its default",
    then="it is not in the answer",
    control="it was in the answer before, and its neighbour still is",
)
def recall_after_retract(world: World) -> str:
    """Defaults are what callers use."""
    ana = world.person()
    value, near = word(), word()
    claim = ana.remember(f"the lamp is {value}")
    ana.remember(f"the lamp hangs in the {near}")
    world.control(value in ana.recall("lamp").render(), "it was never recalled")
    ana.retract(str(claim.record_id), reason="wrong")
    world.control(near in ana.recall("lamp").render(), "its neighbour is gone as well")
    world.expect(value not in ana.recall("lamp").render(), "a retracted claim is recalled")
    return "A retracted claim is gone from the next default answer; its neighbour is not."


@check(
    "life.expansion_around_the_fallen",
    section="D",
    given="a record related to a superseded one and to a retracted one",
    when="it is recalled with expansion, with and without a floor of salience",
    then="neither neighbour comes along as if it still held",
    control="a neighbour that still holds does come along",
)
def expansion_around_the_fallen(world: World) -> str:
    """Edges lead through the same gate."""
    ana = world.person()
    centre = ana.remember("zeppelin is the project's name")
    ended = ana.remember(subject="office", predicate="located_in", object="Oldtown")
    fallen = ana.remember("the intern owns the roof key")
    held = ana.remember("the porter owns the cellar key")
    for other in (ended, fallen, held):
        ana.relate(str(centre.record_id), "beside", str(other.record_id), reason="same page")
    ana.retract(str(fallen.record_id), reason="wrong")
    world.clock.pass_days(2)
    ana.remember(subject="office", predicate="located_in", object="Newtown")
    for floor in (None, 0.01, 0.9):
        packet = ana.recall("zeppelin", expand=2, min_salience=floor, kinds=["semantic"], limit=20)
        if floor != 0.9:
            world.control("the porter owns the cellar key" in texts(packet), "expansion brings no neighbour")
        world.expect("the intern owns the roof key" not in texts(packet), "a retracted neighbour came along")
        old = [i for i in packet.items if "Oldtown" in i.text]
        world.expect(all(i.qualifier.code != "current" for i in old), "a superseded neighbour came along as current")
    return (
        "Expansion brought the neighbour that holds; the retracted one stayed away, the ended one said that it ended."
    )


@check(
    "life.sweep_after_retraction",
    section="D",
    given="near-duplicates of a claim that was retracted",
    when="every background job runs",
    then="none brings the retracted claim back, merged or otherwise",
    control="the duplicates of a claim that stands are found",
)
def sweep_after_retraction(world: World) -> str:
    """Consolidation obeys tombstones."""
    ana, agent = world.person(), world.agent()
    run = verb(ana, "jobs", "run")
    value = word()
    claim = ana.remember(f"the lamp in the hall is painted {value}")
    agent.remember("the bell by the door is very loud")
    agent.remember("the bell by the door is really very loud")
    ana.retract(str(claim.record_id), reason="wrong")
    world.clock.pass_days(1)
    ana.capture(f"Mia: the lamp in the hall is painted {value}", speaker="Mia")
    run()
    packet = ana.recall("lamp in the hall", kinds=["semantic"], include=EVERYTHING)
    world.control("bell" in ana.recall("bell by the door").render(), "what stands is gone as well")
    world.expect(not any(i.status == "active" and value in i.text for i in packet.items), "a job brought it back")
    return "The jobs ran over a retracted claim's words and left it retracted."


@check(
    "life.history_of_every_life",
    section="D",
    given="records that were corrected, changed, retracted, supported, related, classified, judged",
    when="the history of each is read",
    then="each step is there in its order, with who, when and why, and the last row is what holds now",
    control="every life has more than one step",
)
def history_of_every_life(world: World) -> str:
    """Nothing that happened is missing from the audit."""
    ana, ben = world.person("ana"), world.person("ben")
    reasons = {verb_: word() for verb_ in ("correct", "change", "retract", "relate", "classify")}
    made = {v: str(ana.remember(subject=v, predicate="port", object=n).record_id) for n, v in enumerate(reasons, 1)}
    ana.correct(made["correct"], object=91, reason=reasons["correct"])
    ana.change(made["change"], object=92, reason=reasons["change"])
    ana.retract(made["retract"], reason=reasons["retract"])
    ana.relate(made["relate"], "beside", made["classify"], reason=reasons["relate"])
    ana.classify(made["classify"], "medium", reason=reasons["classify"])
    made["support"] = str(ana.remember("the hall is cold").record_id)
    ben.remember("the hall is cold")
    steps = 0
    for name, record in made.items():
        told = ana.history(record)
        world.control(told.beliefs and told.entries, f"{name} has no history at all")
        world.expect(len(told.entries) + len(told.causes) >= 2, f"a step of {name} is missing")
        times = [e.received_at for e in told.entries]
        world.expect(times == sorted(set(times)), f"the steps of {name} are not in order")
        said = [e.reason for e in (*told.entries, *told.causes)]
        world.expect(name not in reasons or reasons[name] in said, f"{name} does not say why")
        world.expect(all(e.actor and e.role for e in told.entries), f"{name} does not say who")
        steps += len(told.entries)
        _rows_are_one_line(world, ana, record)
    return f"{steps} steps of {len(made)} lives are told in order, with who and why; the open rows are what is read."


def _rows_are_one_line(world: World, ana: Memory, record: str) -> None:
    """Known times of one head and window do not overlap, and the open rows say what `read` says."""
    rows = ana.history(record).beliefs
    ends: dict[tuple[str, int | None, int | None], int] = {}
    for row in sorted(rows, key=lambda r: r.known_from):
        key = (row.revision_id, row.valid_from, row.valid_to)
        world.expect(ends.get(key, 0) <= row.known_from, "two rows of one head hold at one known time")
        ends[key] = row.known_to if row.known_to is not None else 2**63 - 1
    open_ = {row.status for row in rows if row.known_to is None}
    world.expect(ana.read(record).item.status in open_, "history and read disagree")


@check(
    "life.withdrawn_without_the_grant",
    section="D",
    given="a record that was withdrawn from view",
    when="somebody without the grant asks for it, its history, its place in lists and answers",
    then="the answer is the one for a record that never was",
    control="it could be read before, and after it was restored",
)
def withdrawn_without_the_grant(world: World) -> str:
    """Hidden and absent are one answer."""
    ana = world.person()
    withdraw, restore = verb(ana, "withdraw"), verb(ana, "restore")
    value = word()
    claim = str(ana.remember(f"the safe opens with {value}").record_id)
    guest = world.agent("cid", grant=Grant(clearance="low"))
    world.control(value in guest.recall("safe").render(), "it could never be read")
    withdraw(claim, reason="not now")
    absent = "r" + "0" * 40
    for read in (guest.read, guest.history):
        world.expect(_error(lambda r=read: r(claim)) == _error(lambda r=read: r(absent)), "hidden differs from absent")
    world.expect(value not in everything_said(guest, ("safe", value[:3], "")), "a withdrawn record is told")
    restore(claim, reason="now it may")
    world.control(value in guest.recall("safe").render(), "a restored record is not readable")
    return "Withdrawn, it was answered like a record that never was; restored, it came back."


def _error(attempt: object) -> tuple[str, str] | None:
    assert callable(attempt)
    try:
        attempt()
    except AbsentError as error:
        return error.code, error.message
    return None


@check(
    "life.clock_skewed_writer",
    section="D",
    given="two writers on one store, the clock of one a year ahead, of the other a year behind",
    when="they revise the same record in turns",
    then="known time goes on, and the later correction holds, whichever clock it was written under",
    control="the first word is believed",
)
def clock_skewed_writer(world: World) -> str:
    """No clock decides anything that the ledger can decide."""
    ahead, behind = HandClock(), HandClock()
    ahead.pass_days(365)
    behind.pass_days(-365)
    fast, slow = world.person("ana", clock=ahead), world.person("ana", clock=behind)
    first = fast.remember(subject="api", predicate="port", object=1)
    world.control(
        current(slow.recall("api port", kinds=["semantic"], valid_at=ahead.at)), "the first word is not known"
    )
    received = [first.known_at]
    for writer, port in ((slow, 2), (fast, 3)):
        received.append(writer.correct(str(first.record_id), object=port, reason=f"port {port}").known_at)
        found = current(fast.recall("api port", kinds=["semantic"]))
        world.expect(found == [f"api port {port}"], "a clock decided which correction holds")
    world.expect(received == sorted(set(received)), "known time went back")
    fast.ledger.verify(deep=True)
    world.expect(fast.ledger.rebuild().same, "a replay under another clock says something else")
    return f"{len(received)} entries of writers two years apart are in one order, and the last correction holds."


@check(
    "life.contested_with_defaults",
    section="D",
    given="a claim that somebody contests",
    when="it is recalled with every parameter at its default",
    then="it is not offered as settled",
    control="a claim that nobody contests is, and so is this one once the contest is settled",
)
def contested_with_defaults(world: World) -> str:
    """Doubt shows."""
    ana, ben = world.person("ana"), world.person("ben")
    contest, settle = verb(ben, "contest"), verb(ana, "settle")
    claim = str(ana.remember("the lamp is green").record_id)
    ana.remember("the lamp hangs in the hall")
    contest(claim, reason="it looks blue to me")
    packet = ana.recall("lamp")
    world.control("the lamp hangs in the hall" in current(packet), "what nobody contests is not offered")
    world.expect("the lamp is green" not in current(packet), "a contested claim is offered as settled")
    settle(claim, reason="we looked together")
    world.control("the lamp is green" in current(ana.recall("lamp")), "a settled claim is not offered")
    return "A contested claim was not offered as settled; after settling it was."


@check(
    "life.contradicting_condition",
    section="D",
    given="a claim that holds under a condition",
    when="it is recalled under a contradicting one, under its own, and under none",
    then="it is absent, present, and present with the open condition named",
    control="a claim without conditions is there each time",
)
def contradicting_condition(world: World) -> str:
    """Conditions are checked, not assumed."""
    ana = world.person()
    ana.remember("the build uses make on linux", conditions={"os": "linux"})
    ana.remember("the build uses a cache")
    asked = "what does the build use?"
    for given, there in (({"os": "macos"}, False), ({"os": "linux"}, True), (None, True)):
        packet = ana.recall(asked, conditions=given)
        world.control("the build uses a cache" in current(packet), "a claim without conditions is missing")
        world.expect(("the build uses make on linux" in texts(packet)) is there, "a condition was not heeded")
    unsure = next(i for i in ana.recall(asked).items if i.text == "the build uses make on linux")
    world.expect(unsure.qualifier.unmet == ("os",), "an open condition is not named")
    return "Under another system it is absent, under its own present, and otherwise the open condition is named."


@check(
    "life.remote_writers_subject",
    section="D",
    given="a write over the network under a credential",
    when="its entry is read",
    then="its author is the authenticated subject, not the service",
    control="the service has entries of its own",
)
def remote_writers_subject(world: World) -> str:
    """There is no network yet."""
    raise UnavailableError("this version has no server and no credentials")


@check(
    "review.a_person_decides",
    section="D",
    given="an agent's correction of another owner's record, which waits as a proposal",
    when="an agent and then a person decide it",
    then="the agent is turned away; the person's approval puts it in force and makes it a fact",
    control="before the decision the old value is recalled",
)
def a_person_decides(world: World) -> str:
    """A decision is an entry by a person."""
    ana, agent = world.person("ana"), world.agent("ben")
    waiting, decide = verb(ana, "review", "list"), verb(ana, "review", "decide")
    claim = str(ana.remember(subject="api", predicate="port", object=8080).record_id)
    proposed = agent.correct(claim, object=9090, reason="I read the file")
    world.control(proposed.outcome == "proposed", "another owner's agent is not made to propose")
    world.control("api port 8080" in current(ana.recall("api port", kinds=["semantic"])), "a proposal is in force")
    items = waiting("proposals").items
    world.expect(len(items) == 1, f"of one proposal that was made the desk shows {len(items)}")
    item = items[0]
    agents_decide = verb(agent, "review", "decide")
    world.expect(world.refused(lambda: agents_decide(item.item_id, "approve", reason="fine")), "an agent may decide")
    decide(item.item_id, "approve", reason="I looked")
    shown = ana.recall("api port", kinds=["semantic"]).items
    world.expect([(i.text, i.tier) for i in shown] == [("api port 9090", "fact")], "the approval is not in force")
    return "An agent's proposal waited; the agent could not approve it; the person's approval made it a fact."
