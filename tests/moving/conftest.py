import pytest
from pairs import Pair


@pytest.fixture
def pair(tmp_path):
    made = Pair(tmp_path, "abc")
    yield made
    made.close()
