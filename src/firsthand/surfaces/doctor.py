"""`firsthand doctor`: where the memory is, what holds it, and whether it is well."""

from __future__ import annotations

import glob
import platform
import stat
from pathlib import Path
from typing import Final, cast

import msgspec

from firsthand.config import Settings
from firsthand.selftest.probes import Probe
from firsthand.surfaces.desk import Memory, Progress, open_memory
from firsthand.surfaces.hooks import health, spool
from firsthand.surfaces.hooks.health import Health
from firsthand.surfaces.hooks.projects import scope_for
from firsthand.surfaces.sentences import error_sentence, installed_version
from firsthand.vocabulary.errors import BrokenError, FirsthandError
from firsthand.vocabulary.instants import to_iso

KEY_SUFFIX: Final = ".keys"
DEVICE_SUFFIX: Final = ".device"
LOG_SUFFIX: Final = "-wal"
PROBLEMS_SHOWN: Final = 10
GROUP_AND_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found. `problems` are what is wrong, in sentences; none of them is well."""

    db: str
    exists: bool
    bytes_on_disk: int = 0
    log_bytes: int = 0
    key_file: str | None = None
    key_file_mode: str | None = None
    space: str
    scope: str
    actor: str | None
    owner: str | None
    role: str
    origins: dict[str, str]
    settings_file: str | None = None
    firsthand: str
    python: str
    engine: str | None = None
    schema_version: int | None = None
    synchronous: str | None = None
    read_only: bool | None = None
    embedder: str | None = None
    vectors_by: str | None = None
    vectors_sent_to: tuple[str, ...] = ()
    vectors_pending: int | None = None
    vectors_kept_back: int | None = None
    vectors_given_up: int | None = None
    embedder_error: str | None = None
    entries: int | None = None
    records: dict[str, int] = {}
    last_write: int | None = None
    receipts: int | None = None
    last_receipt: int | None = None
    erasures_owed: int | None = None
    hook_scope: str
    hooks: Health = Health()
    spool_items: int = 0
    spool_bytes: int = 0
    verified: bool = False
    verify_seconds: float | None = None
    problems: tuple[str, ...] = ()
    probes: tuple[Probe, ...] = ()

    @property
    def well(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and not any(probe.outcome == "fail" for probe in self.probes)


def examine(settings: Settings, *, verify: bool = True, progress: Progress | None = None) -> Checkup:
    """Look at a memory without making one; with `verify` also at every entry of its ledger."""
    found = Checkup(
        db=settings.db,
        exists=_is_url(settings.db) or Path(settings.db).exists(),
        space=settings.space,
        scope=settings.scope,
        actor=settings.actor,
        owner=settings.owner,
        role=settings.role,
        origins=settings.origins,
        settings_file=settings.file,
        hook_scope=scope_for(settings, Path.cwd()),
        firsthand=installed_version(),
        python=platform.python_version(),
    )
    if not found.exists:
        return found
    if not _is_url(settings.db):
        found = _with_hooks(_with_files(found, Path(settings.db)), Path(settings.db))
    try:
        with open_memory(settings) as memory:
            found = _with_contents(found, memory)
            return _verified(found, memory, progress) if verify else _checked(found, memory)
    except FirsthandError as error:
        # What is missing beside another program's database is not ours to restore.
        beside = () if error.code == "not_ours" else found.problems
        return msgspec.structs.replace(found, problems=(*beside, error_sentence(error)))


def findings(found: Checkup) -> list[str]:
    """The checkup in sentences."""
    return [*_findings(found), *(f"{probe.capability} ({probe.outcome}): {probe.proof}" for probe in found.probes)]


def _findings(found: Checkup) -> list[str]:
    if not found.exists:
        return [
            f"There is no memory yet at {found.db} ({_origin(found, 'db')}).",
            "The first write makes it; so does `firsthand init`.",
        ]
    engine = f"; {found.engine}, schema {found.schema_version}, synchronous {found.synchronous}" if found.engine else ""
    log = f" and {_size(found.log_bytes)} of log" if found.log_bytes else ""
    lines = [
        f"The memory is {found.db} ({_origin(found, 'db')}), {_size(found.bytes_on_disk)}{log}.",
        f"It is opened as {_who(found)}, in space {found.space}, scope {found.scope}.",
        f"Firsthand {found.firsthand} on Python {found.python}{engine}.",
    ]
    if found.key_file:
        lines.append(f"Its keys are {found.key_file}, mode {found.key_file_mode}; back both files up together.")
    lines += _vector_sentences(found)
    if found.entries is not None:
        last = "never written" if not found.last_write else f"last written {to_iso(found.last_write)}"
        lines.append(f"Entries: {found.entries}; records: {sum(found.records.values())}; {last}.")
    if found.receipts is not None:
        last = f", the last at {to_iso(found.last_receipt)}" if found.last_receipt else ""
        lines.append(f"Receipts of recalls in its journal: {found.receipts}{last}.")
    lines += _hook_sentences(found)
    lines += [f"PROBLEM: {problem}" for problem in found.problems]
    if not found.problems and found.verified:
        lines.append(f"Nothing is wrong: every hash of {found.entries} entries holds, in {found.verify_seconds:.2f} s.")
        lines.append("`firsthand verify --deep` also folds them again.")
    elif not found.problems:
        lines.append("Quick integrity check: nothing wrong. The entries were not verified.")
    return lines


def _with_files(found: Checkup, path: Path) -> Checkup:
    log, keys, device = (path.with_name(path.name + suffix) for suffix in (LOG_SUFFIX, KEY_SUFFIX, DEVICE_SUFFIX))
    mode = _mode(keys)
    problems = [f"the key file {secret} can be read by others; run `chmod 600` on it."
                for secret in (keys, device) if (_mode(secret) or 0) & GROUP_AND_OTHERS]  # fmt: skip
    if mode is None:
        problems.append(f"the key file {keys} is missing; restore it from the same backup as the database.")
    problems += [
        f"an interrupted restore left {folder}, which may hold words that were erased since; "
        "run the restore again, or remove the folder."
        for folder in sorted(path.parent.glob(f".{glob.escape(path.name)}.restoring-*"))
    ]
    problems += [
        f"an interrupted `firsthand bench` left {folder}, a copy of this memory, which may hold words that were erased "
        "since; run it again, or remove the folder."
        for folder in sorted(path.parent.glob(f".{glob.escape(path.name)}.measuring-*"))
    ]
    return msgspec.structs.replace(
        found,
        bytes_on_disk=path.stat().st_size,
        log_bytes=log.stat().st_size if log.exists() else 0,
        key_file=None if mode is None else str(keys),
        key_file_mode=None if mode is None else f"{mode:04o}",
        problems=tuple(problems),
    )


def _with_hooks(found: Checkup, path: Path) -> Checkup:
    """With how the hooks fare; a hook that stores nothing is a problem, since nobody else would say so."""
    hooks, spooled = health.read(path), spool.waiting(path)
    problems = [HOOKS_FAIL.format(code=hooks.last_error)] if hooks.is_failing else []
    return msgspec.structs.replace(
        found, hooks=hooks, spool_items=spooled.items, spool_bytes=spooled.bytes,
        problems=(*found.problems, *problems),
    )  # fmt: skip


def _vector_sentences(found: Checkup) -> list[str]:
    """By whom the vectors are, what waits for one, and how an endpoint failed last."""
    lines: list[str] = []
    if found.embedder:
        lines.append(f"Embedder: {found.embedder}.")
    if found.vectors_by and found.vectors_by != found.embedder:
        lines.append(f"The vectors of this space are by {found.vectors_by}.")
    if found.vectors_pending:
        lines.append(f"Documents that wait for a vector: {found.vectors_pending}; `firsthand embed` makes them.")
    if found.vectors_kept_back or found.vectors_given_up:
        lines.append(
            f"Without a vector: {found.vectors_kept_back} that may not be sent to the endpoint as they stand, "
            f"{found.vectors_given_up} that it would not have."
        )
    if found.embedder_error:
        lines.append(f"The embeddings endpoint failed last with {found.embedder_error}.")
    if found.vectors_sent_to:
        lines.append(f"Words were sent to {', '.join(found.vectors_sent_to)}; what is erased here is not erased there.")
    return lines


def _hook_sentences(found: Checkup) -> list[str]:
    hooks = found.hooks
    lines = [f"Hooks that run in this folder keep what they hear in {found.hook_scope}."]
    if hooks == Health():
        return [*lines, "No hook has run yet."]
    last = f"last at {to_iso(hooks.last_write_at)} ({hooks.last_event})" if hooks.last_write_at else "never"
    lines.append(f"Hooks stored {hooks.stored} episodes, {last}.")
    if hooks.failures:
        when = to_iso(hooks.last_error_at or 0)
        lines.append(
            f"Hook calls that failed or were late: {hooks.failures}, the last with {hooks.last_error} at {when}; "
            f"put into the spool: {hooks.spooled}, lost: {hooks.dropped}."
        )
    if found.spool_items:
        lines.append(f"Waiting in the spool: {found.spool_items} episodes, {_size(found.spool_bytes)}.")
    return lines


def _mode(path: Path) -> int | None:
    """Who may do what with a file; on Windows that is not told by modes."""
    if not path.exists():
        return None
    return stat.S_IMODE(path.stat().st_mode) & (stat.S_IRWXU if platform.system() == "Windows" else 0o777)


def _with_contents(found: Checkup, memory: Memory) -> Checkup:
    stats, facts = memory.stats(), cast("dict[str, object]", memory.facts())
    problems = [sentence for name, sentence in TOLD_BY_FACTS.items() if facts[name]]
    return msgspec.structs.replace(
        found,
        problems=(*found.problems, *problems),
        entries=stats.entries,
        records=stats.records,
        last_write=stats.known_at if stats.entries else None,
        **{name: facts.get(name) for name in FACTS},
        vectors_sent_to=tuple(cast("list[str]", facts["vectors_sent_to"])),
    )


def _checked(found: Checkup, memory: Memory) -> Checkup:
    """With what the engine finds wrong with its own pages and indexes."""
    return _with_faults(found, memory.ledger.check())


def _verified(found: Checkup, memory: Memory, progress: Progress | None) -> Checkup:
    """With what is wrong with any entry; the engine's own check comes first."""
    try:
        head = memory.ledger.verify(progress=progress)
    except BrokenError as error:
        if "faults" in error.details:
            return _with_faults(found, cast("list[str]", error.details["faults"]))
        return msgspec.structs.replace(found, problems=(*found.problems, error_sentence(error)))
    return msgspec.structs.replace(found, verified=True, verify_seconds=head.seconds)


def _with_faults(found: Checkup, faults: list[str]) -> Checkup:
    problems = [f"the database reports: {fault}" for fault in faults]
    if len(problems) > PROBLEMS_SHOWN:
        problems = [*problems[:PROBLEMS_SHOWN], f"and {len(problems) - PROBLEMS_SHOWN} more."]
    return msgspec.structs.replace(found, problems=(*found.problems, *problems))


FACTS: Final = (
    "engine", "schema_version", "synchronous", "read_only", "embedder", "receipts", "last_receipt", "erasures_owed",
    "vectors_by", "vectors_pending", "vectors_kept_back", "vectors_given_up", "embedder_error",
)  # fmt: skip
HOOKS_FAIL: Final = (
    "the last hook call did not store what it heard ({code}), and none has since; if it was late, run "
    "`firsthand hook drain` and give hooks more time (budget_ms under [hook] in firsthand.toml)."
)
TOLD_BY_FACTS: Final = {
    "read_only": "the database file is read-only: recalls answer but leave no receipt, and writes fail; "
    "run `chmod u+w` on it.",
    "erasures_owed": "the file is not clean yet of what was erased, since a program still reads an old state of it; "
    "close every program that uses it, and run `firsthand clean`.",
}


def _who(found: Checkup) -> str:
    owned = f" of {found.owner}" if found.owner else ""
    return f"{found.actor or found.role} ({found.role}){owned}"


def _is_url(db: str) -> bool:
    return "://" in db


def _origin(found: Checkup, name: str) -> str:
    origin = found.origins[name]
    return f"from {found.settings_file}" if origin == "firsthand.toml" else f"by {origin}"


def _size(count: int) -> str:
    return f"{count / 1024:,.0f} KiB" if count < 10 * 1024 * 1024 else f"{count / 1024 / 1024:,.0f} MiB"
