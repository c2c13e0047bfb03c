"""The forms in which English says one thing of one subject: a head, an object, and what may follow without changing it.

A clause is read only if all of it is understood: head, object and rest. What is left over makes it no claim.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, NamedTuple

Objects = Literal[
    "place", "organisation", "person", "name", "role", "work", "tool", "liking", "preference", "thing", "languages",
    "day", "version", "port", "state",
]  # fmt: skip


class Verb(NamedTuple):
    """The forms of one verb phrase: `live`, `lives`, `living`, `lived`; empty where it has none."""

    base: str
    third: str
    going: str = ""
    done: str = ""


class Form(NamedTuple):
    """One way to say a predicate. `head` is matched at the clause's start and names `subject` where it has one.

    `plus` and `minus`: how the claim is said of a third person. `tails`: kinds of rest that leave the claim as it is.
    `dated`: the head tells of a change, so a bare date after the object is when it began.
    """

    name: str
    predicate: str
    head: str
    objects: Objects
    plus: str
    minus: str
    tails: frozenset[str] = frozenset()
    dated: bool = False
    mine: bool = False
    """The head itself speaks of the speaker: `my name is`."""


_WORD: Final = r"[A-ZÀ-ÖØ-Þ][\w-]*(?:'[A-Z]\w+)?"
NAME: Final = rf"(?:(?:Dr|Prof|Mr|Mrs|Ms)\. )?{_WORD}(?: {_WORD}){{0,3}}"
CODE_NAME: Final = r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+"
_SYSTEM: Final = (
    r"service|server|api|database|app|application|cluster|pipeline|backend|frontend|gateway|website|site|bot|library|tool"
    r"|worker|proxy|dashboard"
)
SYSTEM: Final = rf"(?:[Tt]he|[Oo]ur) (?=[a-z])(?:[\w-]+ ){{1,2}}(?:{_SYSTEM})"
THING: Final = r"[Tt]he (?=[a-z])[\w-]+(?: [\w-]+){0,2}?"
DIRECTLY: Final = (
    r"(?: (?:now|currently|still|also|really|actually|just|mainly|mostly|usually|absolutely|very much|always))?"
)

_PLAIN_TAILS: Final = frozenset(("time", "aside"))
_LOOSE_TAILS: Final = _PLAIN_TAILS | {"circumstance"}


def _doing(verb: Verb) -> str:
    """A verb phrase said plainly, denied, ended, or as something that goes on; each in a group of its name."""
    base, third = verb.base, verb.third
    going, done = verb.going or "(?!)", verb.done or "(?!)"
    return (
        rf"(?:(?P<used> used to {base})|(?P<stopped> (?:have |has )?stopped {going})"
        rf"|(?P<longer>(?: (?:am|is)|'m|'s)? no longer (?:{base}|{third}|{going}))"
        rf"|(?P<neg>(?: do not| don't| does not| doesn't)(?: really)? {base}|(?: am| is|'m) not {going}| isn't {going})"
        rf"|(?P<perfect>(?: have| has|'ve|'s){DIRECTLY} (?:been {going}|{done}))"
        rf"|(?P<cont>(?: am| is|'m){DIRECTLY} {going})"
        rf"|{DIRECTLY} (?:(?P<base>{base})|(?P<third>{third})))"
    )


def _being(what: str) -> str:
    """`is located in` and its like, with the same groups."""
    return (
        rf"(?:(?P<used> used to be)|(?P<longer>(?: am| is|'m) no longer)|(?P<neg>(?: am| is|'m) not| isn't)"
        rf"|(?P<base>(?: am|'m){DIRECTLY})|(?P<third> is{DIRECTLY})) {what}"
    )


def _form(
    name: str, predicate: str, subjects: str, verb: Verb | str, after: str, objects: Objects, plus: str, minus: str,
    tails: frozenset[str] = _PLAIN_TAILS,
) -> Form:  # fmt: skip
    said = _doing(verb) if isinstance(verb, Verb) else verb
    return Form(name, predicate, rf"(?P<subject>{subjects}){said}{after} ", objects, plus, minus, tails)


_WHO: Final = rf"I|{NAME}"
_ANY: Final = rf"I|{NAME}|{CODE_NAME}|{SYSTEM}"
_WHAT: Final = rf"{NAME}|{CODE_NAME}|{SYSTEM}"
_PLACED: Final = rf"{NAME}|{CODE_NAME}|{THING}"
_IS: Final = r"(?: is| is now| has now moved to| has moved to| has been moved to| was moved to| moved to| moved to now)"


def _property(name: str, predicate: str, head: str, objects: Objects, plus: str, *, mine: bool = False) -> Form:
    return Form(name, predicate, head, objects, plus, "", _PLAIN_TAILS, mine=mine)


_BOSS: Final = r"[Mm]y (?:new )?(?:manager|boss|supervisor)(?: is|'s)(?: now)? "
_OWN: Final = (
    _property("my_name", "is_called", r"[Mm]y (?:full )?name(?: is|'s) ", "name", "is called", mine=True),
    _property("my_manager", "reports_to", _BOSS, "person", "reports to", mine=True),
    _property("my_birthday", "born_on", r"[Mm]y birthday(?: is|'s)(?: on)? ", "day", "was born on", mine=True),
)

_STATES: Final = (
    _form("lives_in", "lives_in", _WHO, Verb("live", "lives", "living", "lived"), "(?: over)? in", "place",
          "lives in", "does not live in", _LOOSE_TAILS),
    _form("based_in", "lives_in", _WHO, _being("based"), " in", "place", "lives in", "does not live in", _LOOSE_TAILS),
    _form("works_at", "works_at", _WHO, Verb("work", "works", "working", "worked"), " (?:at|for)", "organisation",
          "works at", "does not work at", _LOOSE_TAILS | {"role"}),
    _form("works_as", "works_as", _WHO, Verb("work", "works", "working", "worked"), " as", "role",
          "works as", "does not work as", _LOOSE_TAILS),
    _form("works_on", "works_on", _WHO, Verb("work", "works", "working", "worked"), " on", "work",
          "works on", "does not work on"),
    _form("database", "uses_database", _ANY, Verb("use", "uses", "using"), "", "tool",
          "uses as its database", "does not use as its database", frozenset(("as_database",))),
    _form("uses", "uses", _ANY, Verb("use", "uses", "using", "used"), "", "tool", "uses", "does not use", _LOOSE_TAILS),
    _form("runs_on", "uses", _WHAT, Verb("run", "runs", "running"), " on", "tool",
          "uses", "does not use", _LOOSE_TAILS),
    _form("prefers", "prefers", _WHO, Verb("prefer", "prefers"), "", "preference", "prefers", "does not prefer"),
    _form("likes", "likes", _WHO, Verb("(?:like|love|enjoy)", "(?:likes|loves|enjoys)"), "", "liking",
          "likes", "does not like"),
    _form("owns", "owns", _WHO, Verb("own", "owns"), "", "thing", "owns", "does not own"),
    _form("speaks", "speaks", _WHO, Verb("speak", "speaks"), "(?: fluent| native| some| good)?", "languages",
          "speaks", "does not speak"),
    _form("knows", "knows", _WHO, Verb("know", "knows"), "", "person", "knows", "does not know", frozenset()),
    _form("reports_to", "reports_to", _WHO, Verb("report", "reports", "reporting"), "(?: directly)? to", "person",
          "reports to", "does not report to"),
    _form("member_of", "member_of", _WHO, _being("an? (?:active )?member"), " of", "organisation",
          "is a member of", "is not a member of"),
    _form("located_in", "located_in", _PLACED, _being("(?:located|headquartered|situated)"), " in", "place",
          "is located in", "is not located in"),
    _form("is_called", "is_called", _ANY, _being("called"), "", "name", "is called", "is not called", _LOOSE_TAILS),
    _form("is_on_version", "version", _WHAT, _being("(?:on|at)"), "", "version", "is on version", "is not on version"),
    _form("runs_version", "version", _WHAT, Verb("run", "runs", "running"), "", "version",
          "is on version", "is not on version"),
    _form("listens", "port", _WHAT, Verb("(?:listen|run)", "(?:listens|runs)", "(?:listening|running)"),
          " on port", "port", "listens on port", "does not listen on port"),
)  # fmt: skip

_CHANGES: Final = (
    Form("moved_to", "lives_in", rf"(?P<subject>{_WHO})(?:(?: have|'ve| has)?(?: just| recently)?) moved"
         rf"(?: back)?(?: from {NAME})? to ", "place", "lives in", "", _LOOSE_TAILS, dated=True),
    Form("joined", "works_at", rf"(?P<subject>{_WHO}) joined ", "organisation", "works at", "",
         frozenset(("began", "role")), dated=True),
    Form("born_on", "born_on", rf"(?P<subject>{_WHO}) was born on ", "day", "was born on", "", frozenset()),
)  # fmt: skip

_OF: Final = rf"(?P<subject>{NAME}|{CODE_NAME}|(?:[Tt]he )?(?=[a-z])[\w-]+(?: [\w-]+){{0,2}}?)"
_BESIDE: Final = rf"(?P<subject>{NAME}|{CODE_NAME}|(?!new\b|next\b|final\b)[a-z]\w+(?: [a-z]\w+)?)"
_HERE: Final = rf"(?P<subject>{_WHAT})"
_PROPERTIES: Final = (
    _property(
        "deadline_of", "deadline", rf"[Tt]he (?:new )?deadline (?:for|of) {_OF}{_IS} ", "day", "has the deadline"
    ),
    _property(
        "s_deadline", "deadline", rf"(?:[Tt]he |[Oo]ur )?{_BESIDE}(?:'s)? deadline{_IS} ", "day", "has the deadline"
    ),
    _property("due", "deadline", rf"(?P<subject>{_PLACED}) is(?: now)? due(?: on| by)? ", "day", "has the deadline"),
    _property("deadline_here", "deadline", rf"[Tt]he (?:new )?deadline{_IS} ", "day", "has the deadline"),
    _property("s_database", "uses_database", rf"{_HERE}'s database is(?: now)? ", "tool", "uses as its database"),
    _property("s_version", "version", rf"{_HERE}'s (?:current )?version is(?: now)? ", "version", "is on version"),
    _property(
        "version_of", "version", rf"[Tt]he (?:current )?version of {_OF} is(?: now)? ", "version", "is on version"
    ),
    _property("s_port", "port", rf"{_HERE}'s port is(?: now)? ", "port", "listens on port"),
    _property("port_of", "port", rf"[Tt]he port of {_OF} is(?: now)? ", "port", "listens on port"),
    _property("s_status", "status", rf"{_HERE}'s (?:current )?status is(?: now)? ", "state", "has the status"),
    _property("status_of", "status", rf"[Tt]he (?:current )?status of {_OF} is(?: now)? ", "state", "has the status"),
)

FORMS: Final = (*_OWN, *_STATES, *_CHANGES, *_PROPERTIES)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern ready to match, compiled when a text first calls for it."""
    return re.compile(pattern)
