"""Settings for the tests with generated examples."""

from hypothesis import HealthCheck, settings

# The examples of a test share one store, so a test that writes must use a different key for each
# example. Each test runs 25 examples, or fewer if the Hypothesis profile has a lower maximum.
many_examples = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(25, settings().max_examples),
)
