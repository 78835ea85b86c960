"""All errors that AI Server reports to users, as one tree::

    AIServerError                      an error with a sentence for the user
    ├── InvalidRequest                 the request itself is wrong
    │   ├── InvalidField               … because of one of its fields
    │   ├── RequestTooLarge            … because it is too big
    │   └── SelectionCutsSecret        … because only a part of a secret is selected
    ├── NotFound                       no such session, generation, model, …
    │   └── ProposalNotFound           … no such proposal: it has expired or was decided about
    ├── NotRemembered                  a text is empty, too long or private, so it isn't remembered
    ├── MemoryEntryChanged             an entry of a memory has changed since it was read
    ├── NotYours                       somebody else requested this answer
    ├── NotOwner                       only the server's owner may do this
    ├── FeatureForbidden               the administrator doesn't allow this feature
    ├── GenerationRunning              a request is already running in the cell
    ├── TooManyGenerations             the limit of concurrent requests is reached
    ├── StaleRevision                  the session changed after the client read it
    ├── RecipeNameRefused              a recipe can't have this name
    │   └── RecipeExists               … because another recipe has it
    ├── SettingError                   a setting is invalid
    ├── SearchFailed                   the search process failed
    ├── ExportFailed                   the export process ended without a file
    │   └── ExportTimeout              … because the export took too long
    ├── StorageError                   the history can't be read or written
    │   ├── StorageBusy                … because other processes keep it busy
    │   ├── StorageUnreachable         … because the database doesn't respond
    │   ├── StorageFull                … because the disk is full
    │   ├── StorageReadOnly            … because the store is read-only or not accessible
    │   ├── SessionTooNew              … because a newer version of AI Server wrote the session
    │   ├── SessionCorrupt             … because the session is damaged
    │   ├── MemoryUnreadable           … because a memory isn't Markdown in UTF-8, or is a link
    │   └── MemoryTooLarge             … because a memory is too large
    └── ModelError                     the model gave no usable answer
        ├── NoModel                    no model is chosen or installed
        │   └── NoCompletionModel      … that can complete code while a person types
        ├── ModelNotAllowed            the administrator doesn't allow the model
        ├── InstallFailed              the local model could not be installed
        │   └── InstallRunning         … because another model is being installed
        ├── ModelInUse                 the local model is answering a request
        ├── ModelShared                the local model is installed for all users
        ├── ModelPackageMissing        the provider's package isn't installed
        ├── ModelAuthFailed            the provider rejected the key
        │   ├── ModelForbidden         … because the key isn't valid for this model
        │   ├── ModelNoCredit          … because the account has no credit or quota left
        │   └── ModelKeyMissing        … because there is no key
        ├── ModelUnknown               the provider has no model with this name
        ├── RequestRefused             the provider rejected the request
        ├── TextRefused                the provider's content filter blocked the text
        ├── ModelRateLimited           the provider's rate limit is reached
        ├── ModelUnavailable           the model's server gave no answer
        │   ├── ModelFailed            … because the server reported an internal error
        │   └── NoModelAnswer          … because the response isn't a model's answer
        ├── ModelTimeout               the model didn't answer in time
        ├── PromptTooLong              the prompt exceeds the model's context window
        └── BadAnswer                  the answer is empty or can't be used
            ├── AnswerCut              … because the answer was too long and was cut off
            └── AnswerBrokenOff        … because the model stopped in the middle

Invariants: a message is plain text that is safe to show and to store. A message never contains a
provider's raw text, a key or a traceback; only the exception in ``__cause__`` may contain them.
Only messages of the command line contain paths. Nothing here depends on HTTP: ``handlers/base.py``
maps each class to a status.

``base`` contains the root of the tree, and the errors of requests, settings and child processes.
``storage`` contains the errors of the history, and ``model`` those of models and providers.
``text`` defines ``UserText``, a sentence that the interface translates. ``stored`` finds the
``UserText`` for an error message in a stored history.
"""

from __future__ import annotations

from .base import *
from .model import *
from .storage import *
from .text import UserText as UserText
