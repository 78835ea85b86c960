"""Tests of the benchmark suite: no network, no model, no kernel."""
