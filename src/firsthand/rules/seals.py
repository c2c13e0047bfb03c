"""Seals: the end of a ledger as a device signed it, and as a line that can be kept elsewhere (design 03)."""

from __future__ import annotations

from typing import Final, NamedTuple

from firsthand.rules.identity import ID_HEX
from firsthand.rules.signing import device_of, seal_text, signed_by
from firsthand.vocabulary.entries import Define, Seal, Skeleton
from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.patterns import lazy_pattern

_LINE: Final = lazy_pattern(
    rf"firsthand-seal 1 (?P<position>[1-9][0-9]{{0,18}}) (?P<chain>[0-9a-f]{{{ID_HEX}}}) "
    r"(?P<key>[0-9a-f]{64}) (?P<signature>[0-9a-f]{128}) (?P<space>\S{1,96})"
)


class Anchor(NamedTuple):
    """A seal outside of the ledger: in a Git commit, on paper."""

    space: str
    position: int
    chain: str
    key: str
    signature: str

    def line(self) -> str:
        """The seal as one printed line."""
        return f"firsthand-seal 1 {self.position} {self.chain} {self.key} {self.signature} {self.space}"


def read_line(text: str) -> Anchor:
    """The seal of a printed line, if its signature holds."""
    found = _LINE.fullmatch(text.strip())
    if found is None:
        raise InvalidError("seal_unreadable", "against is not a line that `firsthand seal` prints", field="against")
    anchor = Anchor(found["space"], int(found["position"]), found["chain"], found["key"], found["signature"])
    signed = seal_text(anchor.space, anchor.position, anchor.chain, device_of(anchor.key))
    if not signed_by(anchor.key, anchor.signature, signed):
        raise InvalidError("seal_forged", "against is a seal whose signature does not hold", field="against")
    return anchor


class SealCheck:
    """The seals of one ledger, met in its order. Foreign ones sign the ledger they came from, not this one."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._foreign: set[str] = set()
        self.held = 0
        self.unsigned = 0
        self.sealed_to = 0

    def fault(self, entry_id: str, skeleton: Skeleton, before: int, chain: str) -> str | None:
        """What is wrong with an entry as a seal or as the key of a device; `chain` is that `before` it."""
        foreign = entry_id in self._foreign
        self._foreign.discard(entry_id)
        match skeleton.edges:
            case Define(what="arrival", entries=entries):
                self._foreign.update(entries)
            case Define(what="device", id=device, key=str(key)):
                if device_of(key) != device:
                    return "it names a device by another key than its own"
                self._keys[device] = key
            case Seal() as seal:
                return self._fault_of_seal(seal, skeleton.space, (before, chain), foreign=foreign)
            case _:
                pass
        return None

    def _fault_of_seal(self, seal: Seal, space: str, end: tuple[int, str], *, foreign: bool) -> str | None:
        if seal.device is None:
            self.unsigned += 1
            return None
        key = self._keys.get(seal.device)
        if key is None:
            return "it is sealed by a device whose key is not in the ledger"
        if not signed_by(key, seal.signature, seal_text(space, seal.position, seal.chain, seal.device)):
            return "the signature of the seal does not hold"
        if foreign:
            return None
        if (seal.position, seal.chain) != end:
            return "it seals another ledger than this one"
        self.held += 1
        self.sealed_to = seal.position
        return None
