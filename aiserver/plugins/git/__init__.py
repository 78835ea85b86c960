"""Histories in git: a merge driver for session files and notebook logs."""
