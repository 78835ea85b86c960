"""Settings for the tests with generated examples."""

from hypothesis import HealthCheck, settings

# The examples of a test share one store, so each example must use a different key. The number of
# examples is 25, or lower if the Hypothesis profile has a lower number.
many_examples = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
    max_examples=min(25, settings().max_examples),
)
