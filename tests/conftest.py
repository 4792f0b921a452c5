"""Settings shared by all tests."""

import signal

import pytest
from cli_runs import CITIES
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


@pytest.fixture
def cities(tmp_path):
    """Return a file with the distances between five cities."""
    path = tmp_path / "cities.csv"
    path.write_text(CITIES)
    return path


# Compiling a loss for a space takes longer than any test of it: each loss is tested in the plane,
# each space with the squared loss, and one other pair; the rest are slow tests. For the same reason
# weights, asymmetric tables, single precision, checked steps and other dimensions, which are
# compiled anew, are tested with one or two of these, and are slow tests with the others.
LOSSES = ("Squared", "Absolute", "Power", "Huber", "SquaredDistance")
SPACES = ("Euclidean", "Sphere", "ChordalSphere", "Hyperbolic", "Simplex")
USUAL = {(loss, "Euclidean") for loss in LOSSES} | {("Squared", space) for space in SPACES}
USUAL |= {("Absolute", "Sphere")}


def kind(part):
    """Return the class that an object or a name like "squared_distance" stands for."""
    return part.title().replace("_", "") if isinstance(part, str) else type(part).__name__


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        pair = kind(params.get("loss")), kind(params.get("space"))
        if pair[0] in LOSSES and pair[1] in SPACES and pair not in USUAL:
            item.add_marker(pytest.mark.slow)


@pytest.fixture
def patience():
    """Fail where a cluster never answers: waiting for it would hold up all other tests."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def give_up(number, frame):
        raise TimeoutError("the cluster has not answered for five minutes")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
