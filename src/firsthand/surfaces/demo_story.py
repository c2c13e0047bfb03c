"""What the demo's agent writes down, what it is asked, and what must come back."""

from __future__ import annotations

from typing import Final

import msgspec

from firsthand.vocabulary.kinds import Volatility

Value = str | int | float | bool


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A claim the agent remembers, with the turn and the exact words it rests on."""

    name: str
    statement: str
    subject: str
    predicate: str
    object: str | int
    turn: str
    quote: str
    unit: str | None = None
    conditions: dict[str, Value] | None = None
    valid_from: str | None = None
    volatility: Volatility = "drift_prone"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question, the statement that must come first, and the one that may come only as ended."""

    ask: str
    first: str
    by: str
    only_ended: str | None = None
    valid_at: str | None = None
    conditions: dict[str, Value] | None = None
    note: str | None = None


TODAY: Final = "2026-06-04T08:00Z"
"""The morning after the conversation ends: the demo's clock, so that it tells the same story on any day."""

FACTS: Final = (
    Fact(
        name="postgres 16",
        statement="The order service uses PostgreSQL 16",
        subject="order service",
        predicate="uses_database",
        object="PostgreSQL 16",
        turn="t05",
        quote="the order service runs on PostgreSQL 16",
    ),
    Fact(
        name="april",
        statement="Crumb launches on 15 April 2026",
        subject="Crumb",
        predicate="deadline",
        object="2026-04-15",
        turn="t06",
        quote="we launch on 15 April",
    ),
    Fact(
        name="letters",
        statement="Noor prefers to be reached in writing",
        subject="Noor",
        predicate="prefers",
        object="writing",
        volatility="stable",
        turn="t08",
        quote="please write to me, do not call",
    ),
    Fact(
        name="berlin",
        statement="Felix lives in Berlin",
        subject="Felix",
        predicate="lives_in",
        object="Berlin",
        turn="t11",
        quote="I live in Berlin",
    ),
    Fact(
        name="hazelnuts",
        statement="Felix is allergic to hazelnuts",
        subject="Felix",
        predicate="allergic_to",
        object="hazelnuts",
        volatility="stable",
        turn="t14",
        quote="I am allergic to hazelnuts",
    ),
    Fact(
        name="outage call",
        statement="Noor prefers to be reached by phone when production is down",
        subject="Noor",
        predicate="prefers",
        object="phone call",
        conditions={"production": "down"},
        volatility="stable",
        turn="t21",
        quote="if production is down, phone me, at any hour",
    ),
    Fact(
        name="bellavista",
        statement="Bellavista is signed up for the yearly plan",
        subject="Bellavista",
        predicate="status",
        object="signed up for the yearly plan",
        turn="t24",
        quote="Bellavista signed up for the yearly plan!",
    ),
    Fact(
        name="backups",
        statement="Crumb keeps database backups for 13 days",
        subject="Crumb",
        predicate="backup_retention",
        object=13,
        unit="days",
        turn="t27",
        quote="we keep database backups for 13 days",
    ),
    Fact(
        name="june",
        statement="Crumb launches on 3 June 2026",
        subject="Crumb",
        predicate="deadline",
        object="2026-06-03",
        turn="t36",
        quote="new date: we launch on 3 June",
    ),
    Fact(
        name="porto",
        statement="Felix lives in Porto",
        subject="Felix",
        predicate="lives_in",
        object="Porto",
        valid_from="2026-05-01",
        turn="t39",
        quote="From 1 May I live in Porto",
    ),
    Fact(
        name="postgres 17",
        statement="The order service uses PostgreSQL 17",
        subject="order service",
        predicate="uses_database",
        object="PostgreSQL 17",
        valid_from="2026-05-09",
        turn="t45",
        quote="since 9 May the order service runs on PostgreSQL 17",
    ),
)

HEARD: Final = Question(
    ask="Why did the order service fall over?",
    first="The order service fell over at 23:10 because a baker uploaded a 90 MB photo of a baguette.",
    by="Noor",
    note="asked of the conversation itself, before anybody took a note",
)

QUESTIONS: Final = (
    Question(
        ask="Which database does the order service use?",
        first="The order service uses PostgreSQL 17",
        by="Noor",
        only_ended="The order service uses PostgreSQL 16",
    ),
    Question(
        ask="When does Crumb launch?",
        first="Crumb launches on 3 June 2026",
        by="Felix",
        only_ended="Crumb launches on 15 April 2026",
        note="a deadline that slipped: the old date is history, not a second answer",
    ),
    Question(
        ask="Where does Felix live?",
        first="Felix lives in Porto",
        by="Felix",
        only_ended="Felix lives in Berlin",
    ),
    Question(
        ask="Where does Felix live?",
        first="Felix lives in Berlin",
        by="Felix",
        valid_at="2026-03-15",
        note="the same question about the middle of March",
    ),
    Question(
        ask="How does Noor prefer to be reached?",
        first="Noor prefers to be reached by phone when production is down",
        by="Noor",
        conditions={"production": "down"},
        note="asked while production is down: the exception outranks the rule",
    ),
    Question(
        ask="What is Felix allergic to?",
        first="Felix is allergic to hazelnuts",
        by="Felix",
    ),
)

BACKUPS: Final = Question(
    ask="How long does Crumb keep database backups?",
    first="Crumb keeps database backups for 13 days",
    by="Noor",
)
CORRECTION: Final = Fact(
    name="backups",
    statement="Crumb keeps database backups for 30 days",
    subject="Crumb",
    predicate="backup_retention",
    object=30,
    unit="days",
    turn="t52",
    quote="We keep database backups for 30 days",
)
CORRECTION_REASON: Final = "Noor reread the contract; the voice note had misheard the number"
BACKUPS_CORRECTED: Final = Question(ask=BACKUPS.ask, first=CORRECTION.statement, by="Noor")

BELLAVISTA: Final = "Which plan is Bellavista signed up for?"
RETRACTION_REASON: Final = "Felix mixed them up with Bella Vita, who only wanted a leaflet"
