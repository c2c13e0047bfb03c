"""Stored texts of entries as the structs they were: one decoder of each for all, made when a text is first read."""

from __future__ import annotations

from functools import cache

import msgspec

from firsthand.vocabulary.entries import Body, Skeleton


def decode_body(text: str | bytes) -> Body:
    """The body of an entry, from the bytes that were hashed."""
    return _bodies().decode(text)


def decode_skeleton(text: str | bytes) -> Skeleton:
    """The skeleton of an entry, from the bytes that were hashed."""
    return _skeletons().decode(text)


@cache  # a decoder looks into every struct that may occur: a process pays once, if it reads an entry at all
def _bodies() -> msgspec.json.Decoder[Body]:
    return msgspec.json.Decoder(Body)


@cache
def _skeletons() -> msgspec.json.Decoder[Skeleton]:
    return msgspec.json.Decoder(Skeleton)
