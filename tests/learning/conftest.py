import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "capture"))

from houses import House


@pytest.fixture
def house(tmp_path):
    made = House(tmp_path)
    yield made
    made.close()
