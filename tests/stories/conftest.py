from collections.abc import Iterator
from pathlib import Path

import pytest
from telling import Story


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    told = Story(tmp_path)
    yield told
    told.end()
