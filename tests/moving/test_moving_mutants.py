"""Each mechanism of moving, broken on purpose: the test that guards it fails, and holds as things are."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
import test_backups as backups
import test_exports as exports
import test_packs as packs
import test_peers as peers
import test_seals as seals
import test_take_in as take_in
from pairs import Pair

import firsthand
from firsthand.moving import foreign, manifest, merging, packing, surveying
from firsthand.ports import LedgerRow
from firsthand.rules import vouching
from firsthand.rules.seals import SealCheck
from firsthand.vocabulary.entries import Erase


class Mutant(NamedTuple):
    """What is broken, how, and the test that must see it."""

    what: str
    broken: dict[str, object]
    caught_by: Callable[..., None]
    arguments: dict[str, object] | None = None


def one_voice(entry: Any, trust: Any, own: Any) -> Any:
    return entry if trust != "none" else None


def no_one_silenced(entry: Any, trust: Any, own: Any) -> Any:
    return GENUINE_VOUCHED(entry, "agent" if trust == "none" else trust, own)


def all_their_erasures(entry: Any, trust: Any, own: Any) -> Any:
    if isinstance(entry.skeleton.edges, Erase):
        return entry
    return GENUINE_VOUCHED(entry, trust, own)


def unchained(previous: str, entry: str, received_at: int) -> str:
    return ANY


class _Any(str):
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


ANY = _Any()
GENUINE_VOUCHED = vouching.as_vouched


def erasures_only(entry: Any) -> bool:
    return isinstance(entry.skeleton.edges, Erase)


def no_erasures(entry: Any) -> bool:
    return not isinstance(entry.skeleton.edges, Erase) and GENUINE_BINDS(entry)


GENUINE_BINDS = merging._binds
GENUINE_LOCK = packing._lock


def without(reason: str) -> Callable[[Any, int], str | None]:
    def lock(rows: Any, level: int) -> str | None:
        found = GENUINE_LOCK(rows, level)
        return None if found == reason else found

    return lock


@contextlib.contextmanager
def at_once(path: Path) -> Iterator[Path]:
    path.mkdir()
    yield path


def unhashed(folder: Path, manifest: Any) -> Iterator[Any]:
    for file in manifest.files:
        for line in (folder / file.name).read_bytes().splitlines():
            yield msgspec.json.decode(line, type=LedgerRow)


def unlinked(folder: Path, manifest: Any) -> Iterator[tuple[Any, str]]:
    for row in unhashed(folder, manifest):
        yield row, ""


def of_any_space(self: Any, row: Any, chain: str) -> Any:
    try:
        return GENUINE_SKELETON(self, row, chain)
    except foreign.UnfitError as unfit:
        if unfit.code != "other_space":
            raise
        return foreign._decoded(row.skeleton)


class Same:
    """A hash of anything."""

    def hexdigest(self) -> str:
        return "00"


GENUINE_SKELETON = foreign.Checks.skeleton
GENUINE_WRITE = manifest.EntryFiles.write
RELAYS = foreign.Relays.__init__
READ_BACKUP = backups.backups.read_backup
KEYS: dict[str, str] = {}
INTAKE, CHOICE = "firsthand.moving.importing._Intake", "firsthand.moving.packing._Choice"
SURVEY = "firsthand.moving.surveying.Survey"


def in_their_own_order(self: Any) -> Iterator[Any]:
    return iter(sorted(GENUINE_TAKEN(self), key=lambda taken: taken.row.position))


def in_one(iterable: Any, size: int) -> Any:
    return iter(list(iterable))


GENUINE_TAKEN = surveying.Survey.taken
MUTANTS = [
    Mutant("signatures of seals are not checked", {"firsthand.rules.seals.signed_by": lambda *given: True},
           seals.test_a_seal_whose_signature_does_not_hold_is_found),
    Mutant("a seal is not compared with its ledger",
           {"firsthand.rules.seals.SealCheck._fault_of_seal": lambda self, *given, foreign: None},
           seals.test_a_ledger_that_was_written_anew_no_longer_fits_its_seals_nor_the_kept_line),
    Mutant("a kept line is only read", {"firsthand.audit.Audit._anchor": lambda self, line: None},
           seals.test_a_ledger_cut_off_before_a_kept_line_is_found),
    Mutant("any line is a seal", {"firsthand.rules.seals.signed_by": lambda *given: True},
           seals.test_a_line_that_was_tampered_with_or_is_of_another_space_is_refused),
    Mutant("the space key goes along",
           {"firsthand.moving.exporting.key_check": lambda handle: KEYS["space"]},
           exports.test_no_key_is_in_an_export),
    Mutant("erased words are exported",
           {"firsthand.moving.manifest.EntryFiles.write": lambda self, row: GENUINE_WRITE(
               self, row._replace(body=row.body or "zqxword", salt=row.salt or "00"))},
           exports.test_an_export_lists_its_erasures_and_has_none_of_the_erased_words),
    Mutant("an export is there before it is whole", {"firsthand.moving.exporting.new_folder": at_once},
           exports.test_an_export_takes_its_name_only_when_it_is_whole),
    Mutant("whoever may export exports everything",
           {"firsthand.moving.exporting.only_the_operator": lambda *given: None},
           exports.test_only_the_operator_of_the_file_moves_a_whole_space),
    Mutant("manifests are not checked", {"firsthand.moving.manifest.Manifest.is_signed": lambda self: True},
           take_in.test_an_export_that_is_not_whole_leaves_no_trace, {"what": "a manifest changed"}),
    Mutant("files are not hashed",
           {"firsthand.moving.importing.check_files": lambda *given: None,
            "firsthand.moving.manifest.rows_in": unhashed, "firsthand.moving.surveying.rows_in": unhashed},
           take_in.test_an_export_that_is_not_whole_leaves_no_trace, {"what": "a byte flipped"}),
    Mutant("bodies are not hashed", {"firsthand.moving.foreign.body_digest": unchained},
           take_in.test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in,
           {"what": "a body that is not its skeleton's"}),
    Mutant("ids are not recomputed", {"firsthand.moving.foreign.entry_id": unchained},
           take_in.test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in,
           {"what": "a skeleton that is not its id's"}),
    Mutant("later formats are read as today's", {"firsthand.moving.foreign.FORMAT_VERSION": 9},
           take_in.test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in,
           {"what": "a format of a later version"}),
    Mutant("any body may be blank", {f"{SURVEY}._check_blank": lambda *given: None},
           take_in.test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in,
           {"what": "a body that is gone and that nothing erased"}),
    Mutant("names are taken as they come", {"firsthand.moving.foreign.Checks._names": lambda self, edges, body: True},
           take_in.test_what_no_honest_store_would_send_is_quarantined,
           {"what": "a name that its id does not stand for"}),
    Mutant("seals of others are not checked", {"firsthand.moving.foreign.SealCheck.fault": lambda self, *given: None},
           take_in.test_what_no_honest_store_would_send_is_quarantined,
           {"what": "a seal that its device did not sign"}),
    Mutant("spaces are not compared", {"firsthand.moving.foreign.Checks.skeleton": of_any_space},
           take_in.test_what_no_honest_store_would_send_is_quarantined, {"what": "an entry of another space"}),
    Mutant("a ledger may have gaps", {"firsthand.moving.surveying.linked_rows": unlinked},
           take_in.test_a_ledger_with_a_gap_is_no_ledger),
    Mutant("quarantine keeps what it keeps out", {f"{SURVEY}._quarantine": lambda self, number, row, code: None},
           take_in.test_an_entry_that_fails_its_checks_is_quarantined_whole_and_the_others_are_taken_in,
           {"what": "a kind that is not known"}),
    Mutant("every store is known", {"firsthand.moving.importing.trust_in": lambda reader, device: "person"},
           take_in.test_a_store_that_is_not_registered_is_refused_and_noted_without_content),
    Mutant("keys of spaces are not compared", {"firsthand.moving.importing.key_check": lambda handle: ANY},
           take_in.test_another_space_and_another_key_are_told_apart_from_this_one),
    Mutant("a store's own export is a stranger's", {"firsthand.moving.surveying.concerns_one_store": lambda s: False},
           peers.test_what_a_store_says_of_its_own_peers_is_not_taken_over),
    Mutant("an import skips erasures that came first", {"firsthand.moving.importing.erased_by": lambda *given: False},
           take_in.test_words_whose_erasure_came_before_they_did_stay_out),
    Mutant("a blank body needs no erasure", {"firsthand.moving.surveying.erased_by": lambda reader, entry_id: True},
           take_in.test_a_blank_body_whose_erasure_is_quarantined_stops_the_whole_export),
    Mutant("an import skips the erasures in it", {"firsthand.moving.importing.destroy_named": lambda *given: 0},
           take_in.test_an_erasure_by_a_store_that_vouches_for_persons_destroys_the_words_here_too),
    Mutant("a replay sees what came later", {"firsthand.store.sqlite_write.SqliteWriter.look_no_further":
                                             lambda self, position: None},
           take_in.test_a_claim_whose_record_was_quarantined_waits_until_the_record_comes),
    Mutant("erasures come after what they erased", {f"{SURVEY}.taken": in_their_own_order}, take_in.torn),
    Mutant("an export is taken in at once", {"firsthand.moving.importing.itertools.islice": in_one},
           take_in.others_write_in_between),
    Mutant("trust is asked for once", {"firsthand.moving.importing.trust_in": lambda reader, device: "person"},
           take_in.test_a_store_that_is_removed_meanwhile_is_believed_no_further),
    Mutant("every person is a person here", {"firsthand.store.read_ledger.as_vouched": one_voice},
           peers.test_a_person_there_is_a_person_here_only_if_the_registration_says_so),
    Mutant("rejections bind whoever wrote them", {"firsthand.store.read_ledger.as_vouched": one_voice},
           peers.test_a_rejection_there_binds_here_only_with_a_person_behind_it, {"trust": "agent", "binds": False}),
    Mutant("erasures count whoever wrote them", {"firsthand.store.read_ledger.as_vouched": all_their_erasures},
           peers.test_an_erasure_by_a_store_that_vouches_for_no_person_destroys_nothing_but_its_own),
    Mutant("a removed store still counts", {"firsthand.store.read_ledger.as_vouched": no_one_silenced},
           peers.test_another_registration_settles_anew_what_is_here_already_and_history_keeps_what_was_believed),
    Mutant("another registration settles nothing", {"firsthand.projection._settle_those": lambda *given: {}},
           peers.test_another_registration_settles_anew_what_is_here_already_and_history_keeps_what_was_believed),
    Mutant("a peer vouches for all it has",
           {"firsthand.moving.foreign.Relays.believed": lambda self, entry_id: "person"},
           peers.test_nobody_vouches_for_more_than_he_believes_himself),
    Mutant("a peer's policy is in force", {"firsthand.store.read_ledger.LedgerReads.senders": lambda self, i: {}},
           peers.test_who_is_believed_here_is_decided_here),
    Mutant("where entries came from is not said", {f"{INTAKE}._say_from_where": lambda self, entry_ids: None},
           peers.test_a_person_there_is_a_person_here_only_if_the_registration_says_so),
    Mutant("omissions are not listed", {f"{CHOICE}.left_out": lambda self: ()},
           packs.test_what_may_not_be_shown_stays_and_is_listed_by_its_reason),
    Mutant("a pack takes what is over the clearance", {"firsthand.moving.packing._lock": without("over_clearance")},
           packs.test_what_may_not_be_shown_stays_and_is_listed_by_its_reason),
    Mutant("a pack takes what is hidden", {"firsthand.moving.packing._lock": without("hidden")},
           packs.test_what_may_not_be_shown_stays_and_is_listed_by_its_reason),
    Mutant("a pack takes words that had backed what fell", {f"{CHOICE}._masked": lambda self, record: None},
           packs.test_what_may_not_be_shown_stays_and_is_listed_by_its_reason),
    Mutant("a pack takes the past of what was corrected", {f"{CHOICE}._repeats_what_fell": lambda self, entry: False},
           packs.test_what_may_not_be_shown_stays_and_is_listed_by_its_reason),
    Mutant("a pack leaves its ends behind", {"firsthand.moving.packing._settled_by": lambda reader, record: ()},
           packs.test_a_record_is_packed_with_what_it_rests_on_and_what_ended_it),
    Mutant("a pack does not say what it relays",
           {"firsthand.moving.foreign.Relays.__init__": lambda self, rows, as_agent: RELAYS(self, rows, ())},
           packs.test_what_a_pack_relays_is_believed_no_further_than_its_maker_believes_it),
    Mutant("a restore forgets the erasures since", {"firsthand.moving.merging._binds": no_erasures},
           backups.test_over_a_live_store_its_erasures_and_tombstones_are_brought_over_first),
    Mutant("a restore forgets the tombstones since", {"firsthand.moving.merging._binds": erasures_only},
           backups.test_beside_nothing_a_later_export_says_what_was_erased_and_taken_back),
    Mutant("a restore does not look", {"firsthand.restoring._later": lambda *given: ()},
           backups.test_over_a_live_store_its_erasures_and_tombstones_are_brought_over_first),
    Mutant("a backup is not compared with its list",
           {"firsthand.moving.backups.hashlib.file_digest": lambda file, name: Same()},
           backups.test_a_backup_with_one_other_byte_is_refused_and_the_live_store_stays, {"name": "memory.db"}),
    Mutant("what is kept may be missing",
           {"firsthand.restoring.read_backup": lambda path, without_kept: READ_BACKUP(path, without_kept=True)},
           backups.test_a_backup_without_what_is_kept_is_refused_unless_told_otherwise, {"name": "memory.db.device"}),
    Mutant("keys are overwritten", {"firsthand.store.keys.KeyFile.differs": lambda self, path, used: False},
           backups.test_another_spaces_key_is_not_overwritten),
    Mutant("a restore does not verify",
           {"firsthand.audit.Audit._compare_projections": lambda self, progress: None},
           backups.test_a_backup_whose_database_does_not_verify_never_takes_its_place),
]  # fmt: skip


CAUGHT = (AssertionError, pytest.fail.Exception, firsthand.FirsthandError, ValueError, KeyError, TypeError)


def run(mutant: Mutant, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    code = mutant.caught_by.__code__
    names = code.co_varnames[: code.co_argcount]
    given: dict[str, Any] = dict(mutant.arguments or {})
    pair = Pair(folder, "abc") if "pair" in names else None
    if pair is not None:
        import json

        given["pair"] = pair
        KEYS["space"] = next(iter(json.loads(pair.path("a").with_name("a.db.keys").read_text()).values()))
    if "tmp_path" in names:
        given["tmp_path"] = folder
    try:
        with monkeypatch.context() as patch:
            if "monkeypatch" in names:
                given["monkeypatch"] = patch
            mutant.caught_by(**given)
    finally:
        if pair is not None:
            pair.close()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.what)
def test_a_broken_mover_is_caught(mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(mutant, tmp_path / "whole", monkeypatch)
    with monkeypatch.context() as patch:
        for path, replacement in mutant.broken.items():
            patch.setattr(path, replacement)
        with pytest.raises(CAUGHT):
            run(mutant, tmp_path / "broken", monkeypatch)


def test_the_mutants_differ() -> None:
    assert len({m.what for m in MUTANTS}) == len(MUTANTS)
    assert SealCheck.fault
