"""Failures of the store: the history can't be read or written."""

from __future__ import annotations

from .base import AIServerError, UserText


class StorageError(AIServerError):
    """The history can't be read or written."""

    code = "storage_error"
    retryable = True
    default_message = UserText(
        "The history could not be saved or read. Everything saved so far is safe."
    )


class StorageBusy(StorageError):
    """Another process had the history's lock for longer than a save may wait."""

    code = "storage_busy"
    default_message = UserText(
        "Another Jupyter server is writing to this history. Try again in a moment."
    )


class StorageFull(StorageError):
    """The disk is full, or the user's quota is used up."""

    code = "storage_full"
    default_message = UserText(
        "The disk is full, or your quota is used up, so nothing can be saved. "
        "Free up some space, then try again."
    )


class StorageReadOnly(StorageError):
    """The store is read-only, or its permissions don't allow AI Server to read or write."""

    code = "storage_read_only"
    retryable = False
    default_message = UserText(
        "AI Server can’t read or change its data: the folder is read-only, or its permissions "
        "don’t allow it. Nothing can be saved there until that is fixed."
    )


class StorageUnreachable(StorageError):
    """The history database doesn't respond."""

    code = "storage_unreachable"
    default_message = UserText(
        "Can’t connect to the history database. Try again in a moment; "
        "everything saved so far is safe."
    )


class SessionTooNew(StorageError):
    """A newer version of AI Server wrote this session, so this version can only read it."""

    code = "session_too_new"
    retryable = False
    default_message = UserText(
        "This history was written by a newer version of AI Server. Update AI Server to add to it."
    )


class SessionCorrupt(StorageError):
    """The stored session is damaged, and no record in it can be read. Its bytes are preserved."""

    code = "session_corrupt"
    retryable = False
    default_message = UserText(
        "This cell’s history file is damaged. A copy of its content was kept."
    )


class MemoryUnreadable(StorageError):
    """A memory isn't a text file, isn't accessible, or has no place for an entry."""

    code = "memory_unreadable"
    retryable = False
    default_message = UserText(
        "AI Server can’t use or change MEMORY.md: it is not Markdown in UTF-8, it is a link, or "
        "its permissions don’t allow it."
    )


class MemoryTooLarge(StorageError):
    """A memory has more bytes than AI Server reads or writes."""

    code = "memory_too_large"
    retryable = False
    default_message = UserText(
        "A memory can have at most 256 KB. Remove some of its entries, for example in an editor."
    )
