"""Other stores of one space: which devices are known, and how far their authors are believed here."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from firsthand.capture.gateway import Gateway, Write
from firsthand.moving.exporting import only_the_operator
from firsthand.moving.joining import write_key
from firsthand.moving.sealing import device_key
from firsthand.ports import Reader, Store, Writer
from firsthand.rules.access import Handle
from firsthand.rules.signing import device_of, is_public_key
from firsthand.vocabulary.entries import Body, Define
from firsthand.vocabulary.errors import AbsentError, InvalidError
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.kinds import TRUSTS, PeerTrust
from firsthand.vocabulary.limits import NAME_BYTES, check_bytes
from firsthand.vocabulary.moves import DeviceView, PeerView
from firsthand.vocabulary.packets import Receipt

PEER: Final = "peer"


class Peers:
    """The registered stores of a space."""

    def __init__(self, store: Store, gateway: Gateway, handle: Handle) -> None:
        self._store = store
        self._gateway = gateway
        self._handle = handle

    def own(self) -> DeviceView:
        """This store's own device: what another store registers to take in exports of this one."""
        key = device_key(self._store, self._handle.space)
        return DeviceView(device=key.device, key=key.public)

    def register(self, key: str, *, trust: PeerTrust = "agent", name: str | None = None) -> PeerView:
        """Take in exports of the device with this public key from now on.

        `trust` says how its authors are believed: with `person` each as it says; with `agent` a person there is an
        agent here; with `none` nothing that came from it counts, not even what is here already.
        """
        only_the_operator(self._handle, "peers")
        if not isinstance(key, str) or not is_public_key(key):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidError("key_invalid", "key is not a device's public key, 64 hexadecimal digits", field="key")
        if trust not in TRUSTS:
            raise InvalidError("trust_unknown", f"trust is one of {', '.join(TRUSTS)}", field="trust")
        if name is not None:
            check_bytes(name, most=NAME_BYTES, field="name")
        device = device_of(key)
        if device == self.own().device:
            raise InvalidError("own_device", "key is this store's own", field="key")
        self._put(Define(what="peer", id=device, key=key, trust=trust), name)
        return PeerView(device=device, key=key, trust=trust, name=name)

    def remove(self, device: str) -> PeerView:
        """Believe nothing that came from a device any more, and take in no more of it."""
        known = next((peer for peer in self.list() if peer.device == device), None)
        if known is None:
            raise AbsentError("peer_absent", "device is not registered here", field="device")
        return self.register(known.key, trust="none", name=known.name)

    def list(self) -> tuple[PeerView, ...]:
        """Every registered device, by its id."""
        only_the_operator(self._handle, "peers")
        with self._store.reading(self._handle.space) as reader:
            return tuple(_view(reader, edges) for _, edges in sorted(reader.peers().items()))

    def share_key(self, path: str | Path) -> Path:
        """Write the space's key to a new file, for `firsthand.join` on another machine. Carry it as a secret."""
        return write_key(self._store, self._handle, Path(path))

    def _put(self, edges: Define, name: str | None) -> None:
        def run(writer: Writer) -> Receipt:
            held = writer.peers().get(edges.id)
            if held is None or held.trust != edges.trust or writer.name(PEER, edges.id) != name:
                words = self._gateway.words(Body(name=name), 0)
                self._gateway.append(self._handle, writer, edges, words, scope_id=SPACE_WIDE)
            return Receipt(outcome="stored", record_id=None, entry_id=None, known_at=writer.head().received_at)

        self._gateway.commit(self._handle, [Write("peers", run)])


def _view(reader: Reader, edges: Define) -> PeerView:
    assert edges.key is not None
    assert edges.trust is not None
    return PeerView(device=edges.id, key=edges.key, trust=edges.trust, name=reader.name(PEER, edges.id))
