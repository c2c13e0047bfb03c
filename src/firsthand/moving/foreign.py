"""Whether an entry of another store may be taken over as it is: checked whole, and never mended (design 03)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from firsthand.ports import LedgerRow
from firsthand.rules.access import Handle
from firsthand.rules.identity import ID_HEX, SALT_BYTES, body_digest, entry_id
from firsthand.rules.seals import SealCheck
from firsthand.rules.vouching import least, most
from firsthand.vocabulary.decoding import decode_body, decode_skeleton
from firsthand.vocabulary.entries import FORMAT_VERSION, Body, Define, Skeleton
from firsthand.vocabulary.kinds import PeerTrust
from firsthand.vocabulary.limits import BODY_BYTES
from firsthand.vocabulary.patterns import lazy_pattern

SKELETON_BYTES: Final = 256 * 1024
_ID: Final = lazy_pattern(f"e[0-9a-f]{{{ID_HEX}}}")
_SALT: Final = lazy_pattern(f"[0-9a-f]{{{2 * SALT_BYTES}}}")
_RELAYED: Final = ('"what":"peer"', '"what":"arrival"')


class _Versioned(msgspec.Struct):
    format: int


class UnfitError(Exception):
    """Why an entry is quarantined, as a code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Checks:
    """The checks of one export's entries, met in its order."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._seals = SealCheck()

    def skeleton(self, row: LedgerRow, chain: str) -> Skeleton:
        """The skeleton of an entry that may be taken over; raises `UnfitError` with the reason otherwise.

        `chain` is that of the ledger it comes from, before this entry.
        """
        if not _ID.fullmatch(row.entry_id) or entry_id(row.skeleton) != row.entry_id:
            raise UnfitError("id_differs")
        if len(row.skeleton.encode()) > SKELETON_BYTES or len((row.body or "").encode()) > BODY_BYTES:
            raise UnfitError("too_large")
        skeleton = _decoded(row.skeleton)
        if skeleton.space != self._handle.space:
            raise UnfitError("other_space")
        body = _body(row, skeleton)
        if isinstance(skeleton.edges, Define) and body is not None and not self._names(skeleton.edges, body):
            raise UnfitError("name_differs")
        if self._seals.fault(row.entry_id, skeleton, row.position - 1, chain) is not None:
            raise UnfitError("signature_differs")
        return skeleton

    def _names(self, edges: Define, body: Body) -> bool:
        """Whether a name is the one that its opaque id stands for."""
        if body.name is None:
            return True
        keyed = self._handle.keyed
        match edges.what:
            case "who":
                return edges.id == keyed.who(body.name)
            case "scope":
                return edges.id == keyed.scope(body.name)
            case "session":
                return edges.id == keyed.digest("session", body.name)
            case _:
                return True


def concerns_one_store(skeleton: Skeleton) -> bool:
    """Whether an entry says from where others came, or whom a store believes: no other store takes that over."""
    return isinstance(skeleton.edges, Define) and skeleton.edges.what in ("peer", "arrival")


class Relays:
    """What another store got from third ones, and how far it believes it: nobody vouches for more than he believes."""

    def __init__(self, rows: Iterable[LedgerRow], as_agent: Iterable[str]) -> None:
        self._as_agent = frozenset(as_agent)
        trusts: dict[str, PeerTrust] = {}
        arrivals: list[Define] = []
        for row in rows:
            if not any(mark in row.skeleton for mark in _RELAYED):
                continue
            try:
                edges = _decoded(row.skeleton).edges
            except UnfitError:
                continue
            match edges:
                case Define(what="peer", id=device, trust=trust):
                    trusts[device] = trust or "none"
                case Define(what="arrival"):
                    arrivals.append(edges)
                case _:
                    pass
        self._trusts = trusts
        self._senders: dict[str, dict[str, PeerTrust]] = {}
        for edges in arrivals:
            for relayed in edges.entries:
                held = self._senders.setdefault(relayed, {})
                held[edges.id] = most((edges.trust or "none", held.get(edges.id, "none")))

    def believed(self, entry_id: str) -> PeerTrust:
        """How far the other store believes an entry; its own as they are."""
        senders = self._senders.get(entry_id)
        if not senders:
            return "agent" if entry_id in self._as_agent else "person"
        return most(least(self._trusts.get(device, "none"), held) for device, held in senders.items())

    def senders(self, entry_id: str) -> dict[str, PeerTrust]:
        """The third stores that an entry came from, each with how far it believes it."""
        return self._senders.get(entry_id, {})


def _decoded(text: str) -> Skeleton:
    try:
        if msgspec.json.decode(text, type=_Versioned).format > FORMAT_VERSION:
            raise UnfitError("format_unknown")
        return decode_skeleton(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise UnfitError("format_unknown") from None


def _body(row: LedgerRow, skeleton: Skeleton) -> Body | None:
    if row.body is None or row.salt is None:
        if row.body is not None or row.salt is not None:
            raise UnfitError("body_differs")
        return None
    if not _SALT.fullmatch(row.salt) or body_digest(row.salt, row.body) != skeleton.body:
        raise UnfitError("body_differs")
    try:
        return decode_body(row.body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise UnfitError("body_unreadable") from None
