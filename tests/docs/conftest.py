"""Settings of the tests of the documentation."""

import pytest


@pytest.fixture
def few_pairs():
    """Change nothing: what the pages print is what readers get."""
