"""Settings of the tests with generated examples."""

from hypothesis import HealthCheck, settings

# Many examples share one store, so each uses a different key. A Hypothesis profile with fewer
# examples makes the suite faster.
many_examples = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(25, settings().max_examples),
)
