"""Settings, read once into a frozen record: flag before variable before `firsthand.toml` before default (design 05)."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, cast

import msgspec

from firsthand.vocabulary.errors import InvalidError
from firsthand.vocabulary.grants import SPACE_WIDE, check_scope, check_slug
from firsthand.vocabulary.kinds import ROLES, Role
from firsthand.vocabulary.limits import NAME_BYTES, check_bytes

FILE_NAME: Final = "firsthand.toml"
VARIABLE_PREFIX: Final = "FIRSTHAND_"
FILE_BYTES: Final = 64 * 1024
DEFAULT_SPACE: Final = "default"
DEFAULT_ROLE: Final[Role] = "agent"

Name = Literal["db", "space", "scope", "actor", "owner", "role"]
NAMES: Final[tuple[Name, ...]] = ("db", "space", "scope", "actor", "owner", "role")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Which memory to open, and as whom. `origins` says where each setting came from."""

    db: str
    space: str
    scope: str
    actor: str | None
    owner: str | None
    role: Role
    origins: dict[str, str]
    file: str | None = None


def read_settings(
    flags: Mapping[Name, str | None],
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings for one run. An empty variable counts as not set; unknown names in the file are refused."""
    environ = os.environ if environ is None else environ
    file = find_file(folder or Path.cwd())
    from_file = {} if file is None else _read_file(file)
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
        actor=_check_name(values.get("actor"), "actor"),
        owner=_check_name(values.get("owner"), "owner"),
        role=_check_role(values["role"] or ""),
        origins=origins,
        file=None if file is None else str(file),
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


def _read_file(file: Path) -> dict[Name, str]:
    import tomllib

    try:
        with file.open("rb") as opened:
            fields: dict[str, Any] = tomllib.loads(opened.read(FILE_BYTES).decode())
    except ValueError:
        raise InvalidError("settings_invalid", f"{FILE_NAME} is not valid TOML", field=FILE_NAME) from None
    for name, value in fields.items():
        if name not in NAMES or not isinstance(value, str):
            raise InvalidError(
                "settings_invalid", f"{FILE_NAME} may hold only the strings {', '.join(NAMES)}", field=FILE_NAME
            )
    values = cast("dict[Name, str]", fields)
    if "db" in values and not _is_url(values["db"]):
        values["db"] = str(file.parent / Path(values["db"]).expanduser())
    return values


def _default(name: Name, environ: Mapping[str, str]) -> str | None:
    match name:
        case "db":
            return str(default_database(environ))
        case "space":
            return DEFAULT_SPACE
        case "scope":
            return SPACE_WIDE
        case "actor":
            return environ.get("USER") or environ.get("LOGNAME") or environ.get("USERNAME") or None
        case "owner":
            return None
        case "role":
            return DEFAULT_ROLE


def _is_url(db: str) -> bool:
    return "://" in db


def _check_db(db: str) -> str:
    check_bytes(db, most=4_096, field="db")
    return db if _is_url(db) else str(Path(db).expanduser())


def _check_name(name: str | None, field: str) -> str | None:
    return None if name is None else check_bytes(name, most=NAME_BYTES, field=field)


def _check_role(role: str) -> Role:
    for known in ROLES:
        if role == known:
            return known
    raise InvalidError("role_invalid", f"role is not one of {', '.join(ROLES)}", field="role")
