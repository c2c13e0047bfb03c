"""Seal a ledger: sign where it ends, with the key of this device."""

from __future__ import annotations

from firsthand.capture.gateway import Gateway, Write
from firsthand.ports import Store, Writer
from firsthand.rules.access import Handle
from firsthand.rules.seals import Anchor
from firsthand.rules.signing import DeviceKey, seal_text
from firsthand.vocabulary.entries import Body, Define, Seal
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.moves import SealView
from firsthand.vocabulary.packets import Receipt

THIS_DEVICE = "this device"


def device_key(store: Store, space: str) -> DeviceKey:
    """The key with which this store signs."""
    return DeviceKey(store.device_key(space))


def seal(store: Store, gateway: Gateway, handle: Handle) -> SealView:
    """Append a seal of everything before it; the device's key is defined first, so that the seal covers it."""
    handle.may("seal")
    key = device_key(store, handle.space)
    made: list[SealView] = []

    def run(writer: Writer) -> Receipt:
        _define(gateway, handle, writer, key)
        head = writer.head()
        signature = key.sign(seal_text(handle.space, head.position, head.chain, key.device))
        edges = Seal(position=head.position, chain=head.chain, signature=signature, device=key.device)
        appended = gateway.append(handle, writer, edges, gateway.words(Body(), 0), scope_id=SPACE_WIDE)
        made.append(
            SealView(
                entry_id=appended.entry.id,
                position=head.position,
                chain=head.chain,
                device=key.device,
                key=key.public,
                line=Anchor(handle.space, head.position, head.chain, key.public, signature).line(),
                known_at=appended.received_at,
            )
        )
        return Receipt(outcome="stored", record_id=None, entry_id=appended.entry.id, known_at=appended.received_at)

    gateway.commit(handle, [Write("seal", run)])
    return made[0]


def _define(gateway: Gateway, handle: Handle, writer: Writer, key: DeviceKey) -> None:
    """Put the public key of this device into the ledger, once."""
    if writer.name("device", key.device) is None:
        words = gateway.words(Body(name=handle.author.device or THIS_DEVICE), 0)
        edges = Define(what="device", id=key.device, key=key.public)
        gateway.append(handle, writer, edges, words, scope_id=SPACE_WIDE)
