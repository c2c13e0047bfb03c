"""How often a skill or plan helped: the numbers it was written with, and feedback since (design 09.18)."""

from __future__ import annotations

from firsthand.vocabulary.records import Competence, Payload, Performance, PlanGraph


def performance_of(payload: Payload, helped: int, failed: int) -> Performance | None:
    """The performance of a skill or plan, of all its versions; nothing else has one."""
    match payload:
        case Competence(performance=seed):
            seed = seed or Performance()
        case PlanGraph(metrics=metrics):
            runs, rate = (metrics.execution_count, metrics.failure_rate or 0.0) if metrics else (0, 0.0)
            lost = round(runs * rate)
            latency = metrics.avg_latency_ms if metrics else None
            seed = Performance(success_count=runs - lost, failure_count=lost, avg_latency_ms=latency)
        case _:
            return None
    good, bad = seed.success_count + helped, seed.failure_count + failed
    rate = round(good / (good + bad), 3) if good + bad else None
    return Performance(
        success_count=good, failure_count=bad, success_rate=rate, avg_latency_ms=seed.avg_latency_ms,
        last_used_at=None if helped or failed else seed.last_used_at,
    )  # fmt: skip


def smoothed_success(performance: Performance) -> float:
    """The share of uses that helped, as if one more had helped and one more had failed: one use proves little."""
    uses = performance.success_count + performance.failure_count
    return (performance.success_count + 1) / (uses + 2)
