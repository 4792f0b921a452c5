"""Settings shared by all tests."""

import signal

import pytest
from hypothesis import HealthCheck, settings
from tables import by_estimator, by_function

# Compiling takes seconds the first time: no deadline. Derandomised: the same run everywhere.
settings.register_profile(
    "unimds",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unimds")

# A shell that starts the tests in the background has them ignore ^C, which some of them send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=[by_function, by_estimator], ids=["place_center", "MDS"])
def embed(request):
    """Embed a table of distances, by the function and by the estimator."""
    return request.param
