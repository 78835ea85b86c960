"""Every failure that AI Server reports to a person, as one tree::

    AIServerError                      something a person can be told
    ├── InvalidRequest                 the request itself is wrong
    │   └── RequestTooLarge            … because it is too big
    ├── NotFound                       no such session, generation or model
    ├── NotYours                       somebody else asked for this answer
    ├── NotOwner                       this server's models are not theirs to use
    ├── GenerationRunning              the cell is already being written
    ├── TooManyGenerations             as many answers are being written as may
    ├── StaleRevision                  somebody else wrote in between
    ├── SettingError                   a setting names something that doesn't exist
    ├── SearchFailed                   the process that searches can't be had
    ├── ExportFailed                   the process of an export ended without its file
    │   └── ExportTimeout          … because it took too long
    ├── StorageError                   the history can't be read or written
    │   ├── StorageBusy            … because another process is writing it for long
    │   ├── StorageUnreachable         … because its database doesn't answer
    │   ├── StorageFull                … because the disk is full
    │   ├── StorageReadOnly            … because the folder can't be written
    │   ├── SessionTooNew              … a newer AI Server wrote it: read-only here
    │   └── SessionCorrupt             … the file is damaged; its bytes are kept
    └── ModelError                     the model gave no usable answer
        ├── NoModel                    nothing is chosen or installed
        ├── ModelNotAllowed            the administrator of this server excludes it
        ├── InstallFailed              the local model could not be installed
        ├── ModelPackageMissing        the provider's package isn't installed
        ├── ModelAuthFailed            the provider refused the key
        │   ├── ModelForbidden         … or doesn't let it use that model
        │   ├── ModelNoCredit          … or the account behind it has no credit or quota left
        │   └── ModelKeyMissing        … or there is none
        ├── ModelUnknown               the provider knows no model of that name
        ├── RequestRefused             the provider refused the request
        ├── TextRefused                … because its filter takes the text for unsafe
        ├── ModelRateLimited           the provider asks to wait
        ├── ModelUnavailable           it can't be reached
        │   ├── ModelFailed            … or failed inside
        │   └── NoModelAnswer          … or something that is no model answers in its place
        ├── ModelTimeout               it didn't answer in time
        ├── PromptTooLong              more text than the model can read
        └── BadAnswer                  an answer without usable code
            ├── AnswerCut              … because it grew too long
            └── AnswerBrokenOff        … because the model stopped in the middle

Invariants: a message is one plain sentence that is safe to show and to store. It never
carries a provider's raw text, a path, a key or a traceback; those stay in ``__cause__``.
Nothing here knows HTTP: ``handlers/base.py`` maps ``code`` to a status, once.

``base`` the root, requests and settings · ``storage`` the history · ``model`` models and providers.
"""

from __future__ import annotations

from .base import (
    AIServerError,
    ExportFailed,
    ExportTimeout,
    GenerationRunning,
    InvalidRequest,
    NotFound,
    NotOwner,
    NotYours,
    RequestTooLarge,
    SearchFailed,
    SettingError,
    StaleRevision,
    TooManyGenerations,
)
from .model import (
    AnswerBrokenOff,
    AnswerCut,
    BadAnswer,
    InstallFailed,
    ModelAuthFailed,
    ModelError,
    ModelFailed,
    ModelForbidden,
    ModelKeyMissing,
    ModelNoCredit,
    ModelNotAllowed,
    ModelPackageMissing,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    NoModel,
    NoModelAnswer,
    PromptTooLong,
    RequestRefused,
    TextRefused,
)
from .storage import (
    SessionCorrupt,
    SessionTooNew,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageReadOnly,
    StorageUnreachable,
)

__all__ = [
    "AIServerError",
    "AnswerBrokenOff",
    "AnswerCut",
    "BadAnswer",
    "ExportFailed",
    "ExportTimeout",
    "GenerationRunning",
    "InstallFailed",
    "InvalidRequest",
    "ModelAuthFailed",
    "ModelError",
    "ModelFailed",
    "ModelForbidden",
    "ModelKeyMissing",
    "ModelNoCredit",
    "ModelNotAllowed",
    "ModelPackageMissing",
    "ModelRateLimited",
    "ModelTimeout",
    "ModelUnavailable",
    "ModelUnknown",
    "NoModel",
    "NoModelAnswer",
    "NotFound",
    "NotOwner",
    "NotYours",
    "PromptTooLong",
    "RequestRefused",
    "RequestTooLarge",
    "SearchFailed",
    "SessionCorrupt",
    "SessionTooNew",
    "SettingError",
    "StaleRevision",
    "StorageBusy",
    "StorageError",
    "StorageFull",
    "StorageReadOnly",
    "StorageUnreachable",
    "TextRefused",
    "TooManyGenerations",
]
