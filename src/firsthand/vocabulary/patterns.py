"""Regular expressions that a process compiles when a text first calls for them: many are never called for."""

from __future__ import annotations

import re
from typing import Any, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that compiles when it is first used, by its methods; then it is as fast as any."""
    return cast("re.Pattern[str]", _Lazy(source, flags))


class _Lazy:
    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        """What only the compiled pattern has. Its methods become this object's own, so this runs once."""
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
