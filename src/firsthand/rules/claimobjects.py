"""What may stand as the object of a claim, kind by kind, and what may follow it without changing what is claimed."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from firsthand.rules.claimforms import CODE_NAME, NAME, Form, Objects
from firsthand.rules.lexicon import NEVER, is_ordinary
from firsthand.rules.timewords import Window, time_phrases
from firsthand.vocabulary.patterns import lazy_pattern

_LANGUAGES: Final = """
    afrikaans albanian arabic armenian basque bengali bulgarian cantonese catalan chinese croatian czech danish
    dutch english estonian farsi finnish french galician georgian german greek hausa hebrew hindi hungarian
    icelandic igbo indonesian irish italian japanese kannada khmer korean latin latvian lithuanian malay malayalam
    mandarin marathi mongolian nepali norwegian persian polish portuguese punjabi romanian russian serbian sinhala
    slovak slovene slovenian somali spanish swahili swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu
    vietnamese welsh xhosa yoruba zulu
"""
LANGUAGES: Final = frozenset(_LANGUAGES.split())

# In an object these words mean that it is somebody's, or something of the conversation, or no object at all.
_POINTING: Final = """
    i you he she it we they me him her us them my your his its our their mine yours hers ours theirs this that these
    those there here who whom which what how where one ones some any all both each every everything anything nothing
    something someone anyone everyone nobody lot lots much many more most bit thing things stuff way is are am was
    were be been being do does did has have had not no never so too very really just even also same other another
    such up out it's i'm that's don't doesn't because since until if when while but or than then im getting having
    seeing knowing making idea ideas part myself yourself himself herself itself ourselves themselves
"""
_BANNED: Final = frozenset(_POINTING.split())
_NOT_FIRST: Final = frozenset(
    ("the", "to", "a", "an", "and", "of", "in", "on", "at", "for", "from", "with", "by", "as")
)

_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ]"
_PLACE: Final = rf"{_CAPITAL}[\w'-]*(?:(?: (?:de|da|do|dos|del|of|la|upon|am|el) |, (?=[A-Z])| ){_CAPITAL}[\w'-]*)*"
_ORGANISATION: Final = rf"(?:[Tt]he )?(?P<object>{_CAPITAL}[\w'&.-]*(?:(?: (?:of|and|&) | ){_CAPITAL}[\w'&-]*){{0,5}})"
_TOKEN: Final = rf"(?:{_CAPITAL}[\w.+#/-]*|[a-z]+[A-Z]\w*)(?: (?:{_CAPITAL}[\w.+#-]*|v?\d[\w.]*))*"
_PHRASE: Final = r"[^\W\d_][\w'&/+-]*(?: [\w'&/+.-]+)"
_LIST: Final = lazy_pattern(r", and | and |, ")

_PATTERNS: Final[dict[Objects, str]] = {
    "place": rf"(?P<object>{_PLACE})",
    "organisation": _ORGANISATION,
    "person": rf"(?P<object>{NAME})",
    "name": rf"(?P<object>{NAME}|{CODE_NAME})",
    "role": rf"an? (?P<object>{_PHRASE}{{0,3}}?)",
    "work": rf"(?P<object>{_TOKEN}|{CODE_NAME}|[a-z][\w-]+s)",
    "tool": rf"(?:an? )?(?P<object>{_TOKEN}(?:(?:, and |, | and ){_TOKEN})*|{CODE_NAME}|[a-z][\w-]*(?=$))",
    "liking": rf"(?P<object>{_PHRASE}{{0,5}}?)",
    "preference": rf"(?P<object>{_PHRASE}{{0,5}}?)(?: (?:to|over|instead of|rather than) [^,]+)?",
    "thing": rf"(?:an? |one )?(?P<object>{_PHRASE}{{0,3}}?)",
    "languages": r"(?P<object>[A-Z][a-z]+(?:(?:, and |, | and )[A-Z][a-z]+)*)(?: fluently| well)?",
    "version": r"(?:(?:version |v\.? ?)(?=\d)|(?=\d+\.\d))(?P<object>\d+(?:\.\d+)*(?:[-+.]?\w+)?)",
    "port": r"(?:port )?(?P<object>\d{2,5})",
    "state": r"(?P<object>[a-z][a-z-]+(?: [a-z-]+)?)",
    "day": r"(?P<object>.+?)",
}  # fmt: skip

_ENDED: Final = "anymore|any more|any longer"
_NOW: Final = "now|these days|nowadays|at the moment|at present|right now|currently|today|too|as well|again|though"
_TAILS: Final = {
    "time": r"(?: (?P<since>since|as of) (?P<from>[^,]+?)| (?P<until>until|till) (?P<to>[^,]+?))",
    "aside": rf"(?P<aside>,? (?:{_NOW}|{_ENDED}))",
    "began": r"(?:(?: back)?(?: in| on)? (?P<began>[^,]+?))",
    "role": r"(?: as an? (?P<role>[\w-]+(?: [\w-]+){0,3}?))",
    "as_database": r"(?P<as_database> as (?:its|the|their|my) (?:main |primary )?database)",
    "circumstance": r"(?:,? (?:with|for|to|near|by|on|in|at|as|instead of|via|through) .*|, .*)",
}
_ORDER: Final = ("role", "as_database", "began", "time", "aside", "circumstance")
_UNCLEAR: Final = frozenset(("unclear", "unknown", "important", "fine", "better", "worse", "bad", "good"))


class Rest(NamedTuple):
    """What a clause says behind its head: objects as written, and when it began or ended, where it tells."""

    objects: tuple[str, ...]
    began: Window | None = None
    ends: Window | None = None
    ended: bool = False
    since: bool = False
    role: str | None = None


def rest_of(form: Form, text: str, said_at: int, *, change: bool) -> Rest | None:
    """The object of a form and what follows it; nothing if any of it is not understood.

    `change`: the head tells of a change, so that a bare date is its day.
    """
    found = _whole(form.objects, form.tails, change).fullmatch(text)
    if found is None:
        return None
    said = found.groupdict()
    when = {name: _when(said.get(name), said_at) for name in ("from", "to", "began")}
    if any(said.get(name) and when[name] is None for name in ("to", "began")):
        return None
    objects = _objects(form.objects, said["object"])
    if form.objects == "day" and (len(objects) != 1 or _when(objects[0], said_at) is None):
        return None
    if not objects or ("as_database" in form.tails and said["as_database"] is None):
        return None
    aside = (said.get("aside") or "").strip(" ,")
    return Rest(
        objects, when["from"] or when["began"], when["to"], aside in _ENDED.split("|"), said.get("from") is not None,
        said.get("role"),
    )  # fmt: skip


@cache
def _whole(objects: Objects, tails: frozenset[str], change: bool) -> re.Pattern[str]:
    allowed = [_TAILS[kind] for kind in _ORDER if kind in tails or (kind == "began" and change)]
    return re.compile(_PATTERNS[objects] + "".join(f"{tail}?" for tail in allowed))


def _when(text: str | None, said_at: int) -> Window | None:
    """The time that a text names, if it names one and nothing else."""
    if not text:
        return None
    for phrase in time_phrases(text, said_at):
        around = (text[: phrase.begin] + text[phrase.stop :]).strip().lower()
        if around in ("", "the", "early", "late", "the end of", "the beginning of", "mid-"):
            return phrase.window
    return None


def _objects(kind: Objects, text: str) -> tuple[str, ...]:
    """What was named, each by itself; nothing if any of it cannot be what it should be."""
    words = re.split(r"[ ,]+", text.lower())
    match kind:
        case "languages":
            parts = tuple(_LIST.split(text))
            return parts if all(part.lower() in LANGUAGES for part in parts) else ()
        case "tool":
            parts = tuple(_LIST.split(text))
            return parts if not _BANNED & set(words) and not _names_no_thing(words) else ()
        case "place" if words[0] in ("project", "team"):
            return ()
        case "place" | "organisation" | "person" | "name" | "work":
            return () if _names_no_thing(words) else (text,)
        case "liking" | "preference" | "thing" | "role":
            plain = _BANNED.isdisjoint(words) and words[0] not in _NOT_FIRST
            return (text,) if plain and words[-1] not in _NOT_FIRST else ()
        case "state":
            return () if _UNCLEAR & set(words) or not _BANNED.isdisjoint(words) else (text,)
        case _:
            return (text,)


def _names_no_thing(words: list[str]) -> bool:
    """Whether what should be a name is a day, a month, a greeting, or begins as no such name does."""
    if words[0] in ("project", "team", "version", "port"):
        return len(words) == 1
    return words[0] in NEVER or words[0].removesuffix("s") in NEVER or words[0] in _BANNED


def is_name(text: str) -> bool:
    """Whether a capitalised subject can be a name: a row of ordinary words may owe its capital to its place."""
    words = [word.strip(".").lower() for word in text.split()]
    if any(word in NEVER and word not in ("dr", "mr", "mrs", "ms") for word in words):
        return False
    return not all(is_ordinary(word) for word in words)
