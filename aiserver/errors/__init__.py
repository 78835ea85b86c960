"""All errors that AI Server reports to users, as one tree::

    AIServerError                      an error with a sentence for the user
    ├── InvalidRequest                 the request itself is wrong
    │   ├── InvalidField               … because of one of its fields
    │   └── RequestTooLarge            … because it is too big
    ├── NotFound                       no such session, generation or model
    ├── NotYours                       somebody else requested this answer
    ├── NotOwner                       the user may not use this server's models
    ├── GenerationRunning              a request is already running in the cell
    ├── TooManyGenerations             the limit of concurrent requests is reached
    ├── StaleRevision                  the session was changed in between
    ├── SettingError                   a setting is invalid
    ├── SearchFailed                   the search process failed
    ├── ExportFailed                   the export process ended without its file
    │   └── ExportTimeout              … because it took too long
    ├── StorageError                   the history can't be read or written
    │   ├── StorageBusy                … because another process holds the lock for too long
    │   ├── StorageUnreachable         … because its database doesn't respond
    │   ├── StorageFull                … because the disk is full
    │   ├── StorageReadOnly            … because the folder can't be written
    │   ├── SessionTooNew              … a newer AI Server wrote it: read-only here
    │   └── SessionCorrupt             … the file is damaged; its bytes are quarantined
    └── ModelError                     the model gave no usable answer
        ├── NoModel                    no model is chosen or installed
        ├── ModelNotAllowed            the administrator doesn't allow it
        ├── InstallFailed              the local model could not be installed
        ├── ModelPackageMissing        the provider's package isn't installed
        ├── ModelAuthFailed            the provider rejected the key
        │   ├── ModelForbidden         … since the key isn't valid for this model
        │   ├── ModelNoCredit          … since the account has no credit or quota left
        │   └── ModelKeyMissing        … since there is none
        ├── ModelUnknown               the provider has no model with this name
        ├── RequestRefused             the provider rejected the request
        ├── TextRefused                the provider's content filter blocked the text
        ├── ModelRateLimited           the provider's rate limit is reached
        ├── ModelUnavailable           the server can't be reached
        │   ├── ModelFailed            … or reported an internal error
        │   └── NoModelAnswer          … or didn't return a model's answer
        ├── ModelTimeout               it didn't answer in time
        ├── PromptTooLong              the prompt exceeds the model's context window
        └── BadAnswer                  an answer without usable code
            ├── AnswerCut              … because it grew too long
            └── AnswerBrokenOff        … because the model stopped in the middle

Invariants: a message is one plain sentence that is safe to show and to store. It never contains a
provider's raw text, a path, a key or a traceback; those stay in ``__cause__``. Nothing here depends
on HTTP: ``handlers/base.py`` maps each ``code`` to a status.

``base`` the root, requests and settings · ``storage`` the history · ``model`` models and providers
· ``text`` sentences that the interface translates · ``stored`` those that a history contains.
"""

from __future__ import annotations

from .base import *
from .model import *
from .storage import *
from .text import UserText as UserText
