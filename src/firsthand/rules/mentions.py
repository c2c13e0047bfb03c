"""Finds what a text mentions by name, without a model; when in doubt it finds nothing, for an invented name stays."""

import re
from collections.abc import Container, Iterator
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple

from firsthand.rules.lexicon import NEVER, OPENERS, PARTICLES, is_ordinary
from firsthand.rules.normalise import KEPT_CHARACTERS, name_key
from firsthand.vocabulary.patterns import lazy_pattern

Form = Literal["name", "quoted", "code", "path", "url", "email", "handle"]


class Mention(NamedTuple):
    """Something named in a text, at `[start, end)` in code points."""

    text: str
    start: int
    end: int
    form: Form


_TITLE: Final = r"(?:(?<=[DM])r|(?<=M)r?s|(?<=[SM])t|(?<=P)rof)\.(?= )"
_JOIN: Final = (
    r"(?: (?:(?:van|von|de|del|della|di|da|du|bin|ibn|al|of|dos|das)(?: (?:der|den|la|las|los|the))? )?|(?<=\.))"
)


@cache
def _spans(ascii_only: bool) -> re.Pattern[str]:
    """Return the pattern of a capitalised span, over the ASCII capitals or those of all scripts with case we read."""
    others = "" if ascii_only else "".join(char for char in map(chr, range(0x80, 0x590)) if char.isupper())
    capital = f"[A-Z{others}]"
    rest = rf"(?:\.(?= ?{capital})|{_TITLE}|(?:\w|-(?=\w)|['’](?={capital})|&(?=[A-Z]))*)"
    # What may not stand before a name is looked up after its first letter: a pattern that begins with a set is fast.
    return re.compile(rf"{capital}(?<![\w@#$&'’-].){rest}(?:{_JOIN}{capital}{rest})*")


_PIECE: Final = lazy_pattern(r"\S+")
_HONORIFICS: Final = frozenset(["dr.", "prof.", "mr.", "mrs.", "ms."])
_STRETCHED: Final = lazy_pattern(r"(\w)\1\1", re.IGNORECASE)
_LONGEST_ACRONYM: Final = 6
_KEPT_SPANS: Final = 8_192

_MARK: Final = lazy_pattern(r'[`"“«@/\\]')
_DOTTED: Final = lazy_pattern(r"\.[a-z]")
_EXTENSION: Final = (
    "py|pyi|ipynb|js|mjs|jsx|ts|tsx|rs|go|c|h|cpp|hpp|java|kt|rb|php|cs|swift|sh|sql|md|rst|txt|csv|tsv|json|jsonl|toml|yaml|yml|"
    "ini|cfg|conf|lock|html|css|scss|xml|svg|png|jpg|jpeg|gif|pdf|docx|xlsx|pptx|zip|gz|tar|db|sqlite|log|env|proto"
)
_MARKED: Final = (  # compiled when it is first needed, so that importing this stays cheap
    r"(?P<block>```.*?(?:```|\Z))"
    r"|(?<!`)(?P<tick>`{1,2})(?P<code>[^`\n]{1,128})(?P=tick)(?!`)"
    r"|(?P<url>\b(?:https?|ftp|ssh|git|postgres(?:ql)?|file)://[^\s<>\"'`\\]+|\bwww\.[\w-]+\.[^\s<>\"'`\\]+)"
    r"|(?P<email>(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,24}\b)"
    r"|(?P<handle>(?<![\w@./+-])@[A-Za-z0-9_][\w-]{1,38}(?:/[\w.-]+)?)"
    rf"|(?P<path>(?<![\w/.~@+-])(?:(?:~|\.\.?)?/(?:[\w.@+-]+/)+[\w.@+-]*|~/[\w.@+-]+|/[\w.@+-]+\.(?:{_EXTENSION})\b"
    rf"|(?:[\w.@+-]+/)+[\w.@+-]+\.(?:{_EXTENSION})\b|[\w-]*\w\.(?:{_EXTENSION})\b(?![\w.])"
    r"|[A-Za-z]:\\[^\s\"'<>|]+))"
    r"|\"(?P<straight>[^\"\n]{2,80})\"|“(?P<curly>[^”\n]{2,80})”|«(?P<angle>[^»\n]{2,80})»"
)
_QUOTES: Final = frozenset(["straight", "curly", "angle"])
_TRAILING: Final = ".,;:!?)]}'’"


def mentions(text: str, known: Container[str] = frozenset()) -> list[Mention]:
    """Return what a text names, in order; `known` holds name keys that count even at the start of a sentence."""
    found: list[Mention] = []
    if _MARK.search(text) or _DOTTED.search(text):
        found, text = _marked(text)
    if not text.isupper():
        found += _names(text, known)
        found.sort(key=_start)
    return found


def _start(mention: Mention) -> int:
    return mention.start


def _marked(text: str) -> tuple[list[Mention], str]:
    """Return what is marked as a name by its form, and the text with those places blanked."""
    found: list[Mention] = []
    rest: list[str] = []
    position = 0
    for match in re.finditer(_MARKED, text, re.DOTALL):
        group = match.lastgroup or ""
        start, end = match.span(group)
        if group != "block":
            form = _form(group)
            if form in {"url", "path"}:
                end = start + len(match[group].rstrip(_TRAILING))
            if form == "quoted" and not _is_title(match[group]):
                continue
            if form != "code" or _is_code_name(match[group]):
                found.append(Mention(text[start:end], start, end, form))
        rest += text[position:start], "_" * (end - start)
        position = end
    return found, "".join(rest) + text[position:]


def _form(group: str) -> Form:
    if group in _QUOTES:
        return "quoted"
    forms: dict[str, Form] = {"code": "code", "url": "url", "email": "email", "handle": "handle", "path": "path"}
    return forms[group]


def _is_code_name(text: str) -> bool:
    """Say whether what stands in back-ticks can be what something is called, and not a sentence or a sign."""
    return text == text.strip() and text.count(" ") < 4 and any(map(str.isalpha, text))


def _is_title(text: str) -> bool:
    """Say whether a quotation is a title and not speech: a capital on each long word, and a word that is not common."""
    words = [word.strip(".,:'’") for word in text.split()]
    if not words or len(words) > 8 or text != text.strip() or text[-1] in ".,;…":
        return False
    if not text[0].isupper() or any(word[:1].islower() and len(word) > 3 and word not in PARTICLES for word in words):
        return False
    lower = [word.lower() for word in words]
    return not all(word in NEVER or (len(words) == 1 and is_ordinary(word)) for word in lower)


def _names(text: str, known: Container[str]) -> Iterator[Mention]:
    """Yield the capitalised spans; a common word that opens a sentence only if it is a name further on."""
    certain: set[str] = set()
    waiting: list[tuple[int, int]] = []
    for span in _spans(text.isascii()).finditer(text):
        name, start = span.group(), span.start()
        read = _kept_reading if len(name) <= KEPT_CHARACTERS else _reading
        for begin, stop, waits in read(name, _opens_sentence(text, start)):
            if waits:
                waiting.append((start + begin, start + stop))
            else:
                word = name[begin:stop]
                certain.add(word)
                yield Mention(word, start + begin, start + stop, "name")
    for begin, stop in waiting:
        word = text[begin:stop]
        if word in certain or name_key(word) in known:
            yield Mention(word, begin, stop, "name")


def _reading(name: str, opens: bool) -> tuple[tuple[int, int, bool], ...]:
    """Return the pieces of a capitalised span that may be names, and whether each has to be a name further on, too."""
    alone = " " not in name
    if alone and name.lower() in NEVER:
        return ()
    pieces = [(0, len(name))] if alone else _pieces(name, opens)
    found: list[tuple[int, int, bool]] = []
    for begin, stop in pieces:
        word = name[begin:stop]
        if alone and opens and is_ordinary(word.lower()):
            found.append((begin, stop, True))
        elif _may_be_name(word, opens):
            found.append((begin, stop, False))
    return tuple(found)


# Only short spans are kept, as with names.
_kept_reading = lru_cache(maxsize=_KEPT_SPANS)(_reading)


def _opens_sentence(text: str, start: int) -> bool:
    """Say whether a word may owe its capital to its place: anything but a word or a comma before it ends a sentence."""
    before = text[start - 1 : start]
    if before == " ":
        before = text[:start].rstrip()[-1:] if text[start - 2 : start - 1] == " " else text[start - 2 : start - 1]
    return not (before.isalnum() or before in {",", "&", "/", "_", "%", "'", "’"})


def _pieces(text: str, opens: bool) -> Iterator[tuple[int, int]]:
    """Split a span at words that are in no name, and keep the pieces that may be one."""
    words = [m.span() for m in _PIECE.finditer(text)]
    piece: list[tuple[int, int]] = []
    for begin, stop in [*words, (len(text), len(text))]:
        lower = text[begin:stop].lower()
        leads = opens and not piece and len(words) > 1 and lower not in OPENERS and is_ordinary(lower)
        inside = piece and lower in PARTICLES
        if stop > begin and not leads and (inside or lower not in NEVER) and lower not in _HONORIFICS:
            piece.append((begin, stop))
            continue
        while piece and text[slice(*piece[-1])].lower() in PARTICLES:
            piece.pop()
        if piece:
            yield piece[0][0], piece[-1][1]
        piece = []


def _may_be_name(name: str, opens: bool) -> bool:
    """Refuse single letters, stretched words, shouting, and at the start of a sentence a row of common words."""
    if len(name) < 2 or _STRETCHED.search(name):
        return False
    words = name.split()
    if name.isupper() and (len(words) > 2 or len(name) > _LONGEST_ACRONYM or is_ordinary(name.lower())):
        return False
    return not (opens and all(is_ordinary(word.lower()) for word in words))
