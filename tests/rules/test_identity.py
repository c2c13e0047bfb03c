"""Digests under a space key."""

from __future__ import annotations

import hmac

from hypothesis import given
from hypothesis import strategies as st

from firsthand.rules.identity import DIGEST_HEX, Keyed


@given(key=st.binary(min_size=16, max_size=64), domain=st.sampled_from(["name", "words"]), text=st.text(max_size=200))
def test_a_digest_is_hmac_sha_256_of_the_domain_and_the_text(key: bytes, domain: str, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    expected = hmac.digest(key, f"{domain}\n{text}".encode(), "sha256").hex()[:DIGEST_HEX]
    assert Keyed(key).digest(domain, text) == expected


def test_two_keys_or_two_domains_give_two_digests() -> None:
    one, other = Keyed(b"a" * 32), Keyed(b"b" * 32)
    assert one.digest("name", "ana") == Keyed(b"a" * 32).digest("name", "ana")
    assert len({one.digest("name", "ana"), other.digest("name", "ana"), one.digest("words", "ana")}) == 3
