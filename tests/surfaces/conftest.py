"""Fixtures of the surfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import Make, Session


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes sessions in a project `boat`, which is a Git repository; hooks have all the time they need."""
    folder = tmp_path / "boat"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "store").mkdir()
    monkeypatch.setenv("FIRSTHAND_HOOK_BUDGET_MS", "60000")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)

    def session(name: str = "s-1", harness: Any = "claude-code") -> Session:
        return Session(folder, tmp_path / "store" / "m.db", name, harness)

    return session
