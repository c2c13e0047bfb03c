"""Each mechanism of the gateway is broken on purpose, and a test that names its property must fail."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import NamedTuple

import msgspec
import pytest
import test_bad_input as bad
import test_grants as grants
import test_idempotency as keys
import test_own_words as own
import test_same_and_near as same
import test_secrets_in_memory as secrets
import test_stories as stories
import test_verbs as verbs
from houses import House

import firsthand
from firsthand.capture import cleaning, fences
from firsthand.capture import secrets as detectors
from firsthand.capture.gateway import Gateway
from firsthand.capture.ground import Ground, ground_of
from firsthand.rules.access import Handle
from firsthand.vocabulary.grants import Grant


class Mutant(NamedTuple):
    """What is broken, how, and the test that must see it."""

    what: str
    broken: dict[str, object]
    caught_by: Callable[..., None]
    arguments: dict[str, object] | None = None


def quiet_mask(text):
    return detectors.Masked(text, ())


def ungrounded(reader, handle, evidence):
    from firsthand.capture.ground import held

    return ground_of(held(reader, handle, evidence.record_id, "evidence"), (0, 1), evidence.quote or "x")


def refuse_with_words(self, handle, writer, verb, code, *, cause=None, next_action="ask_person"):
    words = self.words(firsthand.capture.gateway.Body(reason="REDIS is what the api uses!"), 0)
    edges = firsthand.capture.gateway.Define(what="who", id="refused")
    self.append(handle, writer, edges, words)
    return GENUINE_REFUSE(self, handle, writer, verb, code, cause=cause, next_action=next_action)


GENUINE_REFUSE = Gateway.refuse


def no_tombstone(gateway, handle, writer, claim, basis, grounds, replacing=()):
    return None


def role_as_told(**given):
    return GENUINE_HANDLE(**{**given, "grant": msgspec.structs.replace(given["grant"], role=None)})


GENUINE_HANDLE = importlib.import_module("firsthand.rules.access").handle


def role_from_metadata(fields):
    return GENUINE_EPISODE({k: v for k, v in fields.items() if k not in ("role", "actor", "owner", "author", "space",
                                                                         "scope")})  # fmt: skip


GENUINE_EPISODE = importlib.import_module("firsthand.arguments").episode


def by_prefix(self, scope):
    return self.read is None or any(scope.startswith(s) for s in self.read)


def nobody_echoes(reader, records, actor):
    return False


FIRST_ENTITY = importlib.import_module("firsthand.capture.entities").entities_of


def made_first(handle, reader, payload):
    """What `claim_of` did once: the subject's entity came first."""
    found = GENUINE_CLAIM(handle, reader, payload)
    subject = found[0]
    if subject is not None and subject.entity_id is None and not subject.ambiguous:
        gateway = Gateway(None, None, HERE[0].clock)  # type: ignore[arg-type]
        importlib.import_module("firsthand.capture.entities").make(gateway, handle, reader, payload.subject, subject)
        found = GENUINE_CLAIM(handle, reader, payload)
    return found


GENUINE_CLAIM = importlib.import_module("firsthand.capture.claims").claim_of
HERE: list[House] = []


def quoting_the_reason_too(saying, utterance, stored):
    found = UTTERANCE_GROUND(saying, utterance, stored)
    text = utterance.words.body.payload.text
    return found._replace(span=(0, len(text)), quote=text)


UTTERANCE_GROUND = importlib.import_module("firsthand.capture.claims")._utterance_ground
QUOTED_SECRETS = tuple((hint, d) for hint, d in detectors._HINTS if d.type != "password" or "quote" in d.pattern)


def without_maskings(*given):
    return REPLAYED(*given[:-1], ())


REPLAYED = importlib.import_module("firsthand.capture.replays").replayed


def refused_by_correct(house):
    """A correction to a value that was taken back is refused like a restatement."""
    memory, agent = house.memory(), house.agent()
    gone = memory.remember(subject="api", predicate="uses", object="redis")
    memory.retract(gone.record_id, reason="never")
    other = agent.remember(subject="api", predicate="uses", object="kafka")
    house.clock.pass_days(1)
    receipt = agent.correct(other.record_id, object="redis", reason="I think")
    assert (receipt.outcome, receipt.code) == ("refused", "tombstone_retracted")
    assert agent.read(other.record_id).item.text == "api uses kafka"


CAUGHT = (AssertionError, pytest.fail.Exception, firsthand.FirsthandError, ValueError)
"""How a test fails: it says so, a call it makes is refused, or it finds nothing where it expected one thing."""

MUTANTS = [
    Mutant("the role is what the caller says", {"firsthand.wiring.handle": role_as_told},
           grants.test_the_role_is_the_grants_whatever_the_caller_says),
    Mutant("unknown fields of an item are dropped", {"firsthand.arguments.episode": role_from_metadata},
           grants.test_no_payload_or_metadata_says_who_writes_or_where, {"field": "role"}),
    Mutant("nothing is masked", {"firsthand.capture.cleaning.mask": quiet_mask},
           secrets.test_a_secret_in_any_text_of_any_verb_never_reaches_the_disk),
    Mutant("reasons are not masked",
           {"firsthand.capture.cleaning.reason": lambda text, is_ours, *, required: (text, ())},
           secrets.test_a_secret_in_any_text_of_any_verb_never_reaches_the_disk),
    Mutant("only quoted values are secrets", {"firsthand.capture.secrets._HINTS": QUOTED_SECRETS},
           secrets.test_a_secret_in_a_settings_line_is_masked, {"line": "DB_PASSWORD=Xk29dkq0Zp7wq"}),
    Mutant("quotes are looked for unmasked", {"firsthand.capture.ground.mask": quiet_mask},
           secrets.test_a_quote_that_holds_a_secret_is_masked_before_it_is_looked_for),
    Mutant("secrets are taken as names", {"firsthand.wiring.no_secret": lambda text, field: None},
           secrets.test_a_secret_is_no_name_for_a_person_a_place_or_a_session, {"field": "actor"}),
    Mutant("quotes are not looked up", {"firsthand.capture.claims.ground": ungrounded},
           bad.test_evidence_that_does_not_bear_a_claim_out_is_refused,
           {"evidence": lambda k: firsthand.cite(k["talk"], quote="zqxcanary"), "code": "quote_not_found"}),
    Mutant("evidence may be anywhere", {"firsthand.capture.ground._check_effective": lambda record, handle: None},
           bad.test_evidence_that_does_not_bear_a_claim_out_is_refused,
           {"evidence": lambda k: firsthand.cite(k["elsewhere"]), "code": "evidence_elsewhere"}),
    Mutant("retracted evidence counts", {"firsthand.capture.ground._check_effective": lambda record, handle: None,
                                         "firsthand.capture.ground._head": lambda record: record.root.id},
           bad.test_evidence_that_does_not_bear_a_claim_out_is_refused,
           {"evidence": lambda k: firsthand.cite(k["retracted"]), "code": "evidence_not_effective"}),
    Mutant("remember asks no tombstone", {"firsthand.capture.admitting.would_block": no_tombstone},
           stories.test_a_retracted_fact_is_refused_from_her_own_agent_without_a_trace_of_its_words),
    Mutant("correct asks no tombstone", {"firsthand.capture.admitting.would_block": no_tombstone,
                                         "firsthand.capture.admitting.refused_words": lambda *given: None},
           refused_by_correct),
    Mutant("a refusal keeps the words", {"firsthand.capture.gateway.Gateway.refuse": refuse_with_words},
           stories.test_a_retracted_fact_is_refused_from_her_own_agent_without_a_trace_of_its_words),
    Mutant("a subject is made before the tombstone is asked",
           {"firsthand.capture.claims.claim_of": made_first},
           stories.test_a_refused_claim_leaves_not_even_its_subject_behind),
    Mutant("a key ignores what was asked",
           {"firsthand.capture.gateway.Gateway.fingerprint": lambda self, handle, *parts: "same"},
           keys.test_another_request_under_the_same_key_is_a_conflict, {"verb": "capture"}),
    Mutant("a key ignores the scope",
           {"firsthand.capture.gateway.Gateway.fingerprint": lambda self, handle, *parts: handle.keyed.digest(
               "fingerprint", msgspec.json.encode(parts).decode())},
           keys.test_the_same_words_in_another_scope_are_another_request),
    Mutant("a key is everybody's",
           {"firsthand.rules.identity.Keyed.request": lambda self, actor, verb, key: self.digest("request", key)},
           keys.test_a_key_belongs_to_one_actor_and_one_verb),
    Mutant("keys are forgotten", {"firsthand.store.sqlite_read.SqliteReader.request": lambda self, digest: None},
           keys.test_the_same_request_gets_the_first_receipt_and_writes_nothing_more, {"verb": "capture"}),
    Mutant("retries look at the record first",
           {"firsthand.capture.gateway.Gateway.answered": lambda self, handle, verb, key, fingerprint: None},
           keys.test_a_retry_after_the_record_was_taken_back_still_gets_its_receipt),
    Mutant("a replayed receipt meets nothing", {"firsthand.capture.replays._conflicts": lambda *given: []},
           keys.test_a_replayed_receipt_tells_what_it_meets, {"meeting": "disputed"}),
    Mutant("a replayed receipt forgets who still says it", {"firsthand.capture.replays.still_say": lambda *given: ()},
           keys.test_a_replayed_receipt_tells_what_it_meets, {"meeting": "also_said_by"}),
    Mutant("a replayed receipt shows what may not be seen",
           {"firsthand.capture.receipts.may_see": lambda handle, rows: True},
           keys.test_a_replayed_receipt_tells_conflicts_of_now_and_none_that_may_not_be_seen),
    Mutant("a replayed capture masks nothing", {"firsthand.capture.gateway.replayed": without_maskings},
           keys.test_a_replayed_receipt_tells_what_was_masked, {"verb": "capture"}),
    Mutant("a replayed correction masks nothing", {"firsthand.capture.revise.masked_again": lambda *given: ()},
           keys.test_a_replayed_receipt_tells_what_was_masked, {"verb": "correct"}),
    Mutant("scopes are read by prefix", {"firsthand.vocabulary.grants.Grant.may_read": by_prefix},
           grants.test_acme_never_reads_acme_corp),
    Mutant("at() brings the operator's grant",
           {"firsthand.memory.handle": lambda **given: GENUINE_HANDLE(**{**given, "grant": Grant()})},
           grants.test_another_scope_or_session_stays_under_the_same_grant),
    Mutant("verbs are not asked for", {"firsthand.rules.access.Handle.may": lambda self, verb: None},
           grants.test_a_verb_works_only_if_the_grant_names_it, {"verb": "remember"}),
    Mutant("write scopes are not asked for", {"firsthand.vocabulary.grants.Grant.may_write": lambda self, scope: True},
           grants.test_writing_needs_the_scope_in_the_grant, {"verb": "capture"}),
    Mutant("a record is written where it was found", {"firsthand.capture.revise.at_record": lambda r, h, record: h},
           grants.test_what_can_be_read_elsewhere_is_not_written_from_here),
    Mutant("clearance is not asked for", {"firsthand.rules.access.Handle.clearance": property(lambda self: 4)},
           grants.test_what_is_above_a_clearance_is_not_counted),
    Mutant("absent and denied differ",
           {"firsthand.capture.readable.absent": lambda field: firsthand.DeniedError("denied", "no", field=field)},
           grants.test_a_denied_record_and_an_absent_one_are_one_answer, {"call": "correct", "why": "scope"}),
    Mutant("agents revise anybody's records",
           {"firsthand.capture.revise.propose_if_foreign": lambda *given: None},
           grants.test_an_agent_only_proposes_on_another_owners_record),
    Mutant("collisions are shown to everyone", {"firsthand.capture.receipts.may_see": lambda handle, rows: True},
           grants.test_a_writer_who_may_not_see_what_it_met_gets_a_plain_receipt, {"why": "clearance"}),
    Mutant("every speaker is attested",
           {"firsthand.rules.access.Handle.attested_source": lambda self, speaker: self.ids.owner},
           grants.test_a_speaker_is_only_a_claim_unless_the_credential_may_attest_it),
    Mutant("our own packets are kept", {"firsthand.capture.fences.cut": lambda text, is_ours: fences.Cut(text, 0)},
           own.test_a_packet_inside_a_longer_text_is_cut_and_the_receipt_says_so),
    Mutant("every fence is ours", {"firsthand.rules.identity.Keyed.is_fence": lambda self, nonce: True},
           own.test_a_foreign_fence_stays_and_a_packet_of_another_space_too),
    Mutant("echoes count for lifting",
           {"firsthand.store.sqlite_read.SqliteReader.delivered_to": nobody_echoes},
           own.test_an_agent_that_was_told_a_guess_cannot_lift_it_and_one_that_was_not_can),
    Mutant("echoes close what is current",
           {"firsthand.store.sqlite_read.SqliteReader.delivered_to": nobody_echoes},
           own.test_an_agent_that_was_delivered_an_ended_value_cannot_bring_it_back_by_repeating_it),
    Mutant("an echo is as new as it sounds", {"firsthand.rules.succession._echoed": lambda causes: {}},
           own.test_an_agent_that_was_delivered_an_ended_value_cannot_bring_it_back_by_repeating_it),
    Mutant("a memory supports itself", {"firsthand.capture.claims.check_not_itself": lambda evidence, records: None,
                                        "firsthand.capture.annotate.check_not_itself": lambda evidence, records: None},
           verbs.test_a_memory_is_no_evidence_for_itself),
    Mutant("near sentences are not looked for", {"firsthand.capture.receipts.near": lambda *given: []},
           same.test_a_near_sentence_is_a_possible_conflict_and_an_unrelated_one_is_not),
    Mutant("disputes are not told", {"firsthand.capture.receipts.met": lambda *given: []},
           stories.test_a_team_fact_that_a_member_contradicts_is_disputed_and_the_receipt_says_so),
    Mutant("who else says it is not told", {"firsthand.capture.revise.still_say": lambda *given: ()},
           stories.test_what_a_second_person_also_said_outlives_a_retraction_and_the_receipt_names_her),
    Mutant("a correction is for today", {"firsthand.capture.revise._window": lambda stated, row: stated,
                                              "firsthand.capture.revise._with_windows": lambda saying, current: saying},
           verbs.test_a_correction_of_the_past_does_not_become_the_present),
    Mutant("a change ends what has not begun", {"firsthand.capture.revise._check_since": lambda *given: None},
           verbs.test_a_change_cannot_end_a_value_before_it_began),
    Mutant("a reason is quoted as the claim", {"firsthand.capture.claims._utterance_ground": quoting_the_reason_too},
           verbs.test_a_corrected_claim_quotes_its_own_words_and_keeps_the_reason_apart),
    Mutant("words of ours are quoted in a packet", {"firsthand.vocabulary.rendering.is_quote": lambda *given: True},
           verbs.test_words_put_together_from_a_claim_are_not_shown_as_a_quote),
    Mutant("words of ours are quoted in a drawing", {"firsthand.surfaces.show.is_quote": lambda *given: True},
           verbs.test_words_put_together_from_a_claim_are_not_shown_as_a_quote),
    Mutant("a name is the first entity's",
           {"firsthand.capture.entities.entities_of": lambda r, h, name: FIRST_ENTITY(r, h, name)[:1]},
           stories.test_a_bare_name_that_two_people_share_waits_for_review_and_closes_nothing),
    Mutant("numbers are names whatever their list", {"firsthand.capture.plain._has_identifier": lambda *given: True},
           verbs.test_the_same_number_in_two_lists_is_two_things),
    Mutant("heads are not compared", {"firsthand.capture.revise.check_heads": lambda *given: None},
           verbs.test_a_revision_of_stale_heads_is_a_conflict_that_names_the_present_ones),
    Mutant("the old object stays behind a new sentence",
           {"firsthand.arguments.check_still_names": lambda old, statement: None},
           verbs.test_a_new_sentence_never_leaves_the_old_value_behind_it),
    Mutant("the limit of an episode is one more", {"firsthand.vocabulary.limits.EPISODE_TEXT_BYTES": 64 * 1024 + 1},
           bad.test_a_limit_holds_exactly, {"what": "episode text"}),
    Mutant("depth is not looked at", {"firsthand.capture.bounds.check_tree": lambda value, depth: None},
           bad.test_a_limit_holds_exactly, {"what": "JSON depth"}),
    Mutant("cycles are not looked for", {"firsthand.capture.bounds._cyclic": lambda ids, edges: False},
           bad.test_a_payload_that_breaks_its_kinds_rules_is_refused, {"what": "a cycle"}),
]  # fmt: skip


def test_a_correction_to_a_value_that_was_taken_back_is_refused(house):
    refused_by_correct(house)


@contextlib.contextmanager
def patched(monkeypatch, broken):
    with monkeypatch.context() as patch:
        for path, replacement in broken.items():
            patch.setattr(path, replacement)
        yield


def run(mutant, house, tmp_path):
    names = mutant.caught_by.__code__.co_varnames[: mutant.caught_by.__code__.co_argcount]
    given = dict(mutant.arguments or {})
    if "house" in names:
        given["house"] = house
    if "tmp_path" in names:
        given["tmp_path"] = tmp_path
    for name in ("known", "steady"):
        if name in names:
            given[name] = bad.furnished(house)
    mutant.caught_by(**given)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_gateway_is_caught(mutant, tmp_path, monkeypatch):
    """The property holds as things are, and its test fails once the mechanism is broken."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, broken = House(tmp_path / "a"), House(tmp_path / "b")
    try:
        run(mutant, whole, tmp_path / "a")
        HERE[:] = [broken]
        with (
            patched(monkeypatch, mutant.broken),
            pytest.raises(CAUGHT),
        ):
            run(mutant, broken, tmp_path / "b")
    finally:
        whole.close()
        broken.close()


def test_the_mechanisms_that_are_broken_exist():
    assert Handle.attested_source
    assert Ground._fields
    assert cleaning.clean
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
