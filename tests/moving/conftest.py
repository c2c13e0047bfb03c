import sys
from pathlib import Path

import pytest
from pairs import Pair

sys.path.append(str(Path(__file__).parents[1] / "ledger"))
"""Histories by several authors are written where the ledger is tested."""


@pytest.fixture
def pair(tmp_path):
    made = Pair(tmp_path, "abc")
    yield made
    made.close()
