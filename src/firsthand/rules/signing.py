"""Signatures of devices: Ed25519 over a short canonical text (design 03).

A device is named by the digest of its public key, so a name and a key that belong together prove it themselves.
"""

from __future__ import annotations

import hashlib
from typing import Final

from firsthand.vocabulary.patterns import lazy_pattern

DEVICE_HEX: Final = 40
"""160 bits, as of all ids that anyone may recompute."""
PUBLIC_KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
_PUBLIC_KEY: Final = lazy_pattern(f"[0-9a-f]{{{2 * PUBLIC_KEY_BYTES}}}")
_SIGNATURE: Final = lazy_pattern(f"[0-9a-f]{{{2 * SIGNATURE_BYTES}}}")


class DeviceKey:
    """The secret key of one device, made of 32 unguessable bytes."""

    def __init__(self, secret: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # loads when first needed

        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = self._key.public_key().public_bytes_raw().hex()
        self.device = device_of(self.public)

    def sign(self, text: str) -> str:
        """The signature of a text, in hexadecimal."""
        return self._key.sign(text.encode()).hex()


def device_of(public: str) -> str:
    """The device that a public key belongs to."""
    return "d" + hashlib.sha256(public.encode()).hexdigest()[:DEVICE_HEX]


def is_public_key(text: str) -> bool:
    """Whether a text is a public key in hexadecimal."""
    return _PUBLIC_KEY.fullmatch(text) is not None


def signed_by(public: str, signature: str, text: str) -> bool:
    """Whether the device with this public key signed a text."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if not is_public_key(public) or not _SIGNATURE.fullmatch(signature):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), text.encode())
    except InvalidSignature:
        return False
    return True


def seal_text(space: str, position: int, chain: str, device: str) -> str:
    """What a seal signs: the end of a space's ledger, which covers every entry before it."""
    return f"firsthand seal 1\n{space}\n{position}\n{chain}\n{device}"
