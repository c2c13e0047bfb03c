"""Which scope a folder belongs to."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from firsthand.config import Settings
from firsthand.vocabulary.grants import SPACE_WIDE
from firsthand.vocabulary.limits import SCOPE_ID_CHARACTERS
from firsthand.vocabulary.patterns import lazy_pattern

_OUTSIDE: Final = lazy_pattern(r"[^A-Za-z0-9._@+-]+")
_WORKTREE: Final = lazy_pattern(r"gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*")
MARK_CHARACTERS: Final = 8


def scope_for(settings: Settings, folder: Path) -> str:
    """The scope that was set, or else the project's."""
    return project_scope(folder) if settings.origins["scope"] == "default" else settings.scope


def scope_here(settings: Settings, folder: Path) -> str:
    """The scope that was set, else the project's; a command that is run from nowhere has only `space:`."""
    if settings.origins["scope"] == "default" and folder in (Path.home(), Path(folder.anchor)):
        return SPACE_WIDE
    return scope_for(settings, folder)


def project_scope(folder: Path) -> str:
    """`project:` and the name of the repository a folder is in, or of the folder itself."""
    return f"project:{scope_id(project_root(folder).name)}"


def user_scope(name: str) -> str:
    """Where what holds of a user in every project is kept."""
    return f"user:{scope_id(name)}"


def project_root(folder: Path) -> Path:
    """The nearest folder with a `.git`, or this one. A worktree belongs to the repository it was taken from."""
    folder = folder.absolute()
    for place in (folder, *folder.parents):
        git = place / ".git"
        if git.is_file():
            found = _WORKTREE.fullmatch(git.read_text(encoding="utf-8", errors="replace"))
            return Path(found[1]) if found else place
        if git.exists():
            return place
    return folder


def scope_id(name: str) -> str:
    """A name as the id of a scope. One that cannot be spelt in it is told apart by a digest."""
    slug = _OUTSIDE.sub("-", name).strip("-")
    if slug == name and len(slug) <= SCOPE_ID_CHARACTERS:
        return slug or "root"
    mark = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:MARK_CHARACTERS]
    return f"{slug[: SCOPE_ID_CHARACTERS - MARK_CHARACTERS - 1]}-{mark}".removeprefix("-")
