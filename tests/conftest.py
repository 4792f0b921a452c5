"""Settings shared by all tests."""

from hypothesis import HealthCheck, settings

# Compiling takes seconds the first time: no deadline. Derandomised: the same run everywhere.
settings.register_profile(
    "unimds",
    deadline=None,
    derandomize=True,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unimds")
