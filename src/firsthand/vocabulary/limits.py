"""Every limit of design 02, with its unit in its name."""

from __future__ import annotations

from typing import Final

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.patterns import lazy_pattern

EPISODE_TEXT_BYTES: Final = 64 * 1024
STATEMENT_BYTES: Final = 8 * 1024
QUERY_BYTES: Final = 2 * 1024
REASON_MIN_BYTES: Final = 1
REASON_MAX_BYTES: Final = 4_096
TAGS_PER_RECORD: Final = 32
TAG_CHARACTERS: Final = 64
METADATA_ENTRIES: Final = 32
METADATA_VALUE_BYTES: Final = 1_024
NAME_BYTES: Final = 512
SCOPES_PER_RECALL: Final = 32
SUPPORTS_PER_RECORD: Final = 200
MERGE_SOURCES: Final = 20
RECALL_LIMIT_MIN: Final = 1
RECALL_LIMIT_MAX: Final = 50
RECALL_LIMIT_DEFAULT: Final = 8
PACKET_BYTES_MIN: Final = 1024
PACKET_BYTES_MAX: Final = 256 * 1024
PACKET_BYTES_DEFAULT: Final = 16 * 1024
PACKET_TOKENS_MIN: Final = 64
HISTORY_PAGE_ROWS: Final = 200
LIST_PAGE_ROWS: Final = 200
GRAPH_HOPS_MAX: Final = 3
GRAPH_NODES_MAX: Final = 100
GRAPH_EDGES_MAX: Final = 300
IMPORT_LINE_BYTES: Final = 1024 * 1024
SESSION_LINE_BYTES: Final = 16 * 1024 * 1024
BODY_BYTES: Final = 1024 * 1024
JSON_DEPTH: Final = 32
ERASE_TARGETS_PER_CALL: Final = 1_000
SCOPE_ID_CHARACTERS: Final = 96
IDEMPOTENCY_KEY_BYTES: Final = 256
EVIDENCE_PER_WRITE: Final = 32
PLAN_NODES: Final = 500
LIST_ITEMS: Final = 500


_UNSEEN: Final = lazy_pattern(
    r"[\s\x01-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def says_nothing(text: str) -> bool:
    """Whether nobody could see a text: it is empty, or all of it is blank, control or zero-width characters."""
    return _UNSEEN.fullmatch(text) is not None


def check_bytes(text: str, *, most: int, field: str, least: int = 1) -> str:
    """`text` if it is valid Unicode of at least `least` and at most `most` UTF-8 bytes."""
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("text_invalid", f"{field} is not text; give it as a string", field=field)
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise InvalidError(
            "text_not_unicode", f"{field} holds a lone surrogate, which is not text", field=field
        ) from None
    if size < least or (least and says_nothing(text)):
        raise InvalidError("text_empty", f"{field} is empty; say something or leave it out", field=field)
    if size > most:
        raise InvalidError(
            "text_too_long", f"{field} is over its limit of {most} bytes; shorten or split it", field=field
        )
    if "\x00" in text:
        raise InvalidError("text_has_nul", f"{field} holds a NUL character", field=field)
    return text


def check_range(value: int, *, least: int, most: int, field: str) -> int:
    """`value` if it lies in `[least, most]`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidError("out_of_range", f"{field} must be a whole number from {least} to {most}", field=field)
    return value


def check_count(count: int, *, most: int, field: str) -> None:
    """Refuse more than `most` elements."""
    if count > most:
        raise InvalidError("too_many", f"{field} has more than {most} elements; split the request", field=field)
