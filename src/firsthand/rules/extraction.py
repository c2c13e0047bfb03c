"""Claims that a text plainly states, found by patterns without a model: few, and nearly always right.

Pure: a text, who said it and when. What comes out is a proposal; it is believed only as far as the gateway lets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from firsthand.rules.claimforms import CODE_NAME, FORMS, Form, compiled
from firsthand.rules.claimobjects import Rest, is_name, rest_of
from firsthand.rules.clauses import Clause, clauses, plain
from firsthand.rules.days import MICROSECONDS_PER_DAY, day_of
from firsthand.rules.normalise import name_key
from firsthand.rules.timewords import Window, time_phrases
from firsthand.vocabulary.kinds import Polarity
from firsthand.vocabulary.patterns import lazy_pattern
from firsthand.vocabulary.records import Semantic, TypedValue, Validity

CLAIMS_PER_TEXT: Final = 32
_MACHINES: Final = "assistant system tool function bot ai agent model developer chatgpt claude"
MACHINES: Final = frozenset(_MACHINES.split())
"""Speakers whose words claim nothing of themselves or of the world: prompts and models talk to be helpful."""

_SINCE: Final = lazy_pattern(r"(?:since|as of) ", re.IGNORECASE)
_ARTICLE: Final = lazy_pattern(r"(?:the|our) ", re.IGNORECASE)
_SHORT_AM: Final = lazy_pattern(r"I(?='(?:m|ve)\b)")
_ENDED: Final = ("used", "stopped", "longer")


class Extracted(NamedTuple):
    """A claim, the form it was said in, and where: `text[start:end]`."""

    form: str
    claim: Semantic
    start: int
    end: int


class _Telling(NamedTuple):
    """Who speaks, when, and what `the deadline` without a name is of."""

    speaker: str | None
    said_at: int
    topic: str | None


class _Match(NamedTuple):
    form: Form
    subject: str
    said: dict[str, str | None]
    rest: Rest
    began: Window | None


def extract(text: str, *, speaker: str | None, said_at: int, topic: str | None = None) -> list[Extracted]:
    """The claims a text states, in order; `said_at` in microseconds UTC resolves its dates.

    The first person is the speaker. `topic` is what a deadline without a name belongs to, such as a scope's project.
    """
    if speaker is not None and name_key(speaker) in MACHINES:
        return []
    telling = _Telling(speaker, said_at, topic)
    found: list[Extracted] = []
    straight = plain(text)
    before: tuple[int, str] | None = None
    for clause in clauses(straight, speaker):
        match = _read(straight[clause.start : clause.end], telling)
        start = clause.start
        if match is None and before is not None and before[0] == clause.begins:
            match = _read(f"{before[1]} {straight[clause.start : clause.end]}", telling)
            start = clause.begins
        if match is None:
            before = None
            continue
        before = clause.begins, match[0]
        found += _claims(match[1], telling, Clause(start, clause.end, clause.begins))
    return _once(found)[:CLAIMS_PER_TEXT]


def _once(found: list[Extracted]) -> list[Extracted]:
    """The same claim said twice in a text is one."""
    kept: dict[tuple[str, int | None, int | None], Extracted] = {}
    for each in found:
        window = each.claim.validity
        kept.setdefault((each.claim.statement, window.from_, window.to), each)
    return list(kept.values())


def _read(clause: str, telling: _Telling) -> tuple[str, _Match] | None:
    """The first form that understands all of a clause, with its subject as it stands there."""
    clause = _SHORT_AM.sub("I", clause)
    began, clause = _leading_time(clause, telling.said_at)
    for form in FORMS:
        head = compiled(form.head).match(clause)
        if head is None:
            continue
        said = head.groupdict()
        written = said.get("subject") or ""
        subject = _subject(form, written, telling)
        if subject is None or not _agrees(written, said):
            continue
        change = form.dated or said.get("stopped") is not None
        rest = rest_of(form, clause[head.end() :], telling.said_at, change=change)
        if rest is not None and _makes_sense(said, rest, began):
            return written, _Match(form, subject, said, rest, began)
    return None


def _leading_time(clause: str, said_at: int) -> tuple[Window | None, str]:
    """The date of `Since March …` or `As of 1 May …`, and the clause behind it."""
    opening = _SINCE.match(clause)
    if opening is None:
        return None, clause
    for phrase in time_phrases(clause, said_at):
        if phrase.begin <= opening.end() < phrase.stop:
            return phrase.window, clause[phrase.stop :].lstrip(" ,")
    return None, clause


def _subject(form: Form, written: str, telling: _Telling) -> str | None:
    """Whom or what a clause is about by name; nothing where it is nobody in particular."""
    if form.mine or written == "I":
        return telling.speaker
    if not written:
        return telling.topic
    bare = _ARTICLE.sub("", written, count=1) if _ARTICLE.match(written) else written
    if re.fullmatch(CODE_NAME, bare) or bare[0].islower():
        return bare
    return bare if is_name(bare) else None


def _agrees(written: str, said: dict[str, str | None]) -> bool:
    """`I live` and `Ana lives`: another form of the verb has another subject, or is an order."""
    if written == "I":
        return said.get("third") is None
    return said.get("base") is None


def _makes_sense(said: dict[str, str | None], rest: Rest, began: Window | None) -> bool:
    """`I have lived in Ghent` is over or not, unless it says since when; an end has no second end."""
    if said.get("perfect") is not None:
        return rest.since or began is not None
    denied = said.get("neg") is not None
    return denied or not rest.ended


def _claims(match: _Match, telling: _Telling, place: Clause) -> Iterator[Extracted]:
    form, rest = match.form, match.rest
    denied = match.said.get("neg") is not None
    ended = any(match.said.get(group) is not None for group in _ENDED) or (denied and rest.ended)
    polarity: Polarity = "-" if denied and not ended else "+"
    validity = _validity(match, telling.said_at, ended)
    if validity is None or (polarity == "-" and not form.minus):
        return
    for written in rest.objects:
        value = _value(form, written, telling.said_at)
        yield _extracted(form, match.subject, form.predicate, value, polarity, validity, place)
    if rest.role is not None and polarity == "+":
        value = TypedValue(type="string", value=rest.role)
        yield _extracted(_ROLE, match.subject, "works_as", value, polarity, validity, place)


_ROLE: Final = next(form for form in FORMS if form.name == "works_as")


def _extracted(
    form: Form, subject: str, predicate: str, value: TypedValue, polarity: Polarity, validity: Validity, place: Clause
) -> Extracted:  # fmt: skip
    said = form.plus if polarity == "+" else form.minus
    claim = Semantic(
        statement=f"{subject} {said} {value.value}", subject=subject, predicate=predicate, object=value,
        polarity=polarity, validity=validity,
    )  # fmt: skip
    return Extracted(form.name, claim, place.start, place.end)


def _validity(match: _Match, said_at: int, ended: bool) -> Validity | None:
    """When it began and ended, where the words say a date; what is said to be over ended by then at the latest."""
    rest = match.rest
    began = rest.began or match.began
    start = began.start if began is not None else None
    if ended:
        end = rest.ends.start if rest.ends is not None else start if start is not None else said_at
        return Validity(mode="timeboxed", to=end)
    end = rest.ends.start if rest.ends is not None else None
    if start is not None and end is not None and start >= end:
        return None
    return Validity(mode="global" if end is None else "timeboxed", from_=start, to=end)


def _value(form: Form, written: str, said_at: int) -> TypedValue:
    if form.objects == "port":
        return TypedValue(type="number", value=int(written))
    if form.objects == "day":
        window = time_phrases(written, said_at)[0].window
        sure = form.predicate != "born_on" or re.search(r"\d{4}", written) is not None
        if sure and window.end - window.start == MICROSECONDS_PER_DAY:
            day = day_of(window.start)
            assert day is not None, "the day was found by its date words"
            return TypedValue(type="date", value=day.isoformat())
    return TypedValue(type="string", value=written)
