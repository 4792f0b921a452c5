"""Settings shared by all tests."""

import signal
import sys

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from tests.support.commands import CITIES
from tests.support.parts import EXAMPLES
from tests.support.tables import by_estimator, by_function
from unimds.landmarks import cost

QUICK_EXAMPLES = 10  # where slow tests are left out

# Compiling takes seconds the first time: no deadline. Derandomised: the same run everywhere.
settings.register_profile(
    "unimds",
    deadline=None,
    derandomize=True,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("unimds"), max_examples=QUICK_EXAMPLES)
settings.load_profile("unimds")

# A shell that starts the tests in the background has them ignore ^C, which some of them send: to
# themselves, or to a process they start, which inherits this from them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """Try fewer examples where slow tests are left out: before any test is imported."""
    if config.option.markexpr == "not slow":
        settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items):
    """Leave only some cases of a test with many, evenly spread, to the quick tests."""
    cases = {}
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for those in cases.values():
        (count,) = those[0].get_closest_marker("sample").args
        quick = {round(i * (len(those) - 1) / max(count - 1, 1)) for i in range(count)}
        for i, item in enumerate(those):
            if i not in quick:
                item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def closed_figures():
    """Leave no figure open: pyplot would keep all of them, and warn of twenty."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch):
    """Estimate the costs of very many points from fewer pairs: quicker, and as right."""
    monkeypatch.setattr(cost, "BLOCKS", 200)


@pytest.fixture(params=[by_function, by_estimator], ids=["place_center", "MDS"])
def embed(request):
    """Embed a table of distances, by the function and by the estimator."""
    return request.param


@pytest.fixture
def threads_of_blas():
    """Give linear algebra two threads, on which it rounds in another way than on one."""
    with threadpool_limits(2):
        yield


@pytest.fixture
def cities(tmp_path):
    """Return a file with the distances between five cities."""
    path = tmp_path / "cities.csv"
    path.write_text(CITIES)
    return path


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
