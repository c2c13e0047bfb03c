"""What background jobs have done and what waits for them: counts and codes, never a word of any record."""

from __future__ import annotations

import msgspec


class JobsReport(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the jobs. `stored` to `known` count what was found, `known` what was there already.

    `failed` stretches are tried again, `dead` ones no more; `lost` ones went to another worker.
    """

    stretches: int = 0
    documents: int = 0
    stored: int = 0
    reinforced: int = 0
    proposed: int = 0
    refused: int = 0
    known: int = 0
    failed: int = 0
    lost: int = 0
    waiting: int = 0
    dead: int = 0
    seconds: float = 0.0


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """One job in one scope. `waiting`, `leased` and `dead` count stretches of at most 64 documents.

    `unseen`: documents received since its work was last put in the queue. `code`: how what is left failed last.
    """

    job: str
    scope: str
    waiting: int = 0
    leased: int = 0
    dead: int = 0
    unseen: int = 0
    upto: int = 0
    due: int | None = None
    code: str | None = None


class JobsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Every job in every scope that has something for it, by name."""

    jobs: tuple[JobView, ...]
    waiting: int
    leased: int
    dead: int
    unseen: int
