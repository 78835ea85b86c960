"""Tests of aiserver/usage."""
