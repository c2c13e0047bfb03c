import pytest
from houses import House


@pytest.fixture
def house(tmp_path):
    made = House(tmp_path)
    yield made
    made.close()
