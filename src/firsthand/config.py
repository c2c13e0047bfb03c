"""Settings, read once into a frozen record: flag before variable before `firsthand.toml` before default (design 05)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, cast

import msgspec

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import SPACE_WIDE, check_scope, check_slug
from firsthand.vocabulary.kinds import ROLES, Role
from firsthand.vocabulary.limits import NAME_BYTES, PACKET_BYTES_MIN, check_bytes, check_range

FILE_NAME: Final = "firsthand.toml"
VARIABLE_PREFIX: Final = "FIRSTHAND_"
FILE_BYTES: Final = 64 * 1024
DEFAULT_SPACE: Final = "default"
DEFAULT_ROLE: Final[Role] = "agent"
DEFAULT_EMBEDDER: Final = "default"
NOBODYS_NAME: Final = "user"
"""Who it is where the system knows no name for whoever runs this."""

Name = Literal["db", "space", "scope", "actor", "owner", "role", "embedder"]
NAMES: Final[tuple[Name, ...]] = ("db", "space", "scope", "actor", "owner", "role", "embedder")
HOOK_TABLE: Final = "hook"
HOOK_RANGES: Final = {"packet_bytes": (PACKET_BYTES_MIN, 10_000), "budget_ms": (150, 60_000)}
"""What the table `[hook]` may hold. Harnesses take at most 10,000 characters from a hook."""


class HookSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How much a hook may put into a prompt, and how long its whole process may take."""

    packet_bytes: int = 4_096
    budget_ms: int = 300


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Which memory to open, as whom, and what makes its vectors. `origins` says where each setting came from."""

    db: str
    space: str
    scope: str
    actor: str
    owner: str | None
    role: Role
    origins: dict[str, str]
    embedder: str = DEFAULT_EMBEDDER
    file: str | None = None
    hook: HookSettings = HookSettings()


def read_settings(
    flags: Mapping[Name, str | None],
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    hook_as_it_is: bool = False,
) -> Settings:
    """The settings for one run. An empty variable counts as not set; unknown names in the file are refused.

    `hook_as_it_is`: what says no sense of hooks is the default, since a hook that refused it would lose what was said.
    """
    environ = os.environ if environ is None else environ
    file = find_file(folder or Path.cwd())
    from_file, hook = ({}, {}) if file is None else _read_file(file)
    values: dict[Name, str | None] = {}
    origins: dict[str, str] = {}
    for name in NAMES:
        variable = VARIABLE_PREFIX + name.upper()
        for origin, value in (
            ("flag", flags.get(name)),
            (variable, environ.get(variable) or None),
            (FILE_NAME, from_file.get(name)),
            ("default", _default(name, environ)),
        ):
            if value is not None:
                values[name], origins[name] = value, origin
                break
    return Settings(
        db=_check_db(values["db"] or ""),
        space=check_slug(values["space"] or "", "space"),
        scope=check_scope(values["scope"] or ""),
        actor=check_bytes(values["actor"] or "", most=NAME_BYTES, field="actor"),
        owner=_check_owner(values.get("owner")),
        role=_check_role(values["role"] or ""),
        origins=origins,
        embedder=check_bytes(values["embedder"] or "", most=NAME_BYTES, field="embedder"),
        file=None if file is None else str(file),
        hook=_hook_settings(hook, environ, lenient=hook_as_it_is),
    )


def default_database(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path:
    """`memory.db` in the platform's data folder."""
    environ = os.environ if environ is None else environ
    home = Path(environ.get("USERPROFILE" if platform == "win32" else "HOME") or Path.home())
    if platform == "win32":
        base = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        given = environ.get("XDG_DATA_HOME", "")
        base = Path(given) if given.startswith("/") else home / ".local" / "share"
    return base / "firsthand" / "memory.db"


def make_folder(database: Path) -> None:
    """Make the folder of the default place, which may not exist yet; a folder somebody named must."""
    if database == default_database():
        with suppress(FileExistsError):
            database.parent.mkdir(parents=True, mode=0o700)


def find_file(folder: Path) -> Path | None:
    """The nearest `firsthand.toml`, in `folder` or above it."""
    for place in (folder, *folder.parents):
        file = place / FILE_NAME
        if file.is_file():
            return file
    return None


def file_text(values: Mapping[Name, str]) -> str:
    """A `firsthand.toml` that says `values`."""
    lines = [f"{name} = {msgspec.json.encode(values[name]).decode()}" for name in NAMES if name in values]
    return "\n".join(lines) + "\n"


def _read_file(file: Path) -> tuple[dict[Name, str], dict[str, Any]]:
    """The settings of a file, and those of its table for hooks."""
    import tomllib

    try:
        with file.open("rb") as opened:
            fields: dict[str, Any] = tomllib.loads(opened.read(FILE_BYTES).decode())
    except ValueError:
        raise InvalidError("settings_invalid", f"{FILE_NAME} is not valid TOML", field=FILE_NAME) from None
    hook = fields.pop(HOOK_TABLE, {})
    if not isinstance(hook, dict) or any(name not in NAMES or not isinstance(v, str) for name, v in fields.items()):
        raise InvalidError(
            "settings_invalid", f"{FILE_NAME} may hold only the strings {', '.join(NAMES)}, and a table [{HOOK_TABLE}]",
            field=FILE_NAME,
        )  # fmt: skip
    values = cast("dict[Name, str]", fields)
    if "db" in values and not _is_url(values["db"]):
        values["db"] = str(file.parent / Path(values["db"]).expanduser())
    return values, cast("dict[str, Any]", hook)


def _hook_settings(from_file: Mapping[str, Any], environ: Mapping[str, str], *, lenient: bool) -> HookSettings:
    """`FIRSTHAND_HOOK_*` before the table `[hook]` before the defaults; beyond its range the nearest is taken."""
    if any(name not in HOOK_RANGES for name in from_file) and not lenient:
        known = ", ".join(HOOK_RANGES)
        raise InvalidError("settings_invalid", f"the table [{HOOK_TABLE}] may hold only {known}", field=FILE_NAME)
    given: dict[str, int] = {}
    for name, (least, most) in HOOK_RANGES.items():
        variable = environ.get(f"{VARIABLE_PREFIX}HOOK_{name.upper()}") or ""
        value: Any = int(variable) if variable.removeprefix("-").isdecimal() else variable or from_file.get(name)
        if value is None or (lenient and type(value) is not int):
            continue
        number = check_range(value, least=-sys.maxsize, most=sys.maxsize, field=f"{HOOK_TABLE}.{name}")
        given[name] = min(max(number, least), most)
    return HookSettings(**given)


def _default(name: Name, environ: Mapping[str, str]) -> str | None:
    match name:
        case "db":
            return str(default_database(environ))
        case "space":
            return DEFAULT_SPACE
        case "scope":
            return SPACE_WIDE
        case "actor":
            return _login_name(environ)
        case "owner":
            return None
        case "role":
            return DEFAULT_ROLE
        case "embedder":
            return DEFAULT_EMBEDDER


def _login_name(environ: Mapping[str, str]) -> str:
    """The name one is logged in by; in a container nobody may have set it, and every door must say the same."""
    if named := environ.get("USER") or environ.get("LOGNAME") or environ.get("USERNAME"):
        return named
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name or NOBODYS_NAME
    except (ImportError, KeyError):  # no such database on Windows, no such user in it
        return NOBODYS_NAME


def _is_url(db: str) -> bool:
    return "://" in db


def _check_db(db: str) -> str:
    check_bytes(db, most=4_096, field="db")
    return db if _is_url(db) else str(Path(db).expanduser())


def _check_owner(name: str | None) -> str | None:
    return None if name is None else check_bytes(name, most=NAME_BYTES, field="owner")


def _check_role(role: str) -> Role:
    for known in ROLES:
        if role == known:
            return known
    raise InvalidError("role_invalid", f"role is not one of {', '.join(ROLES)}", field="role")
