"""The administrator's setting for each feature: people decide, or it is always off or always on.

The settings are in the trait ``features`` of ``AIServer``. The page reads them from its
configuration, to explain what is off (``src/state/features.ts``).

Invariant: the server enforces each setting, except ``running``: the page runs cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from .errors import SettingError

FeatureSetting = Literal["allowed", "forbidden", "always"]
AgentSetting = Literal["allowed", "forbidden", "read", "propose", "edit"]

# All other features need an act of the person for each use.
_CAN_BE_ALWAYS_ON = ("receipts",)


@dataclass(frozen=True)
class Features:
    """The settings of all features.

    ``running`` is “Accept and run”, with the corrections that follow a failed run. ``receipts`` are
    stored prompts. ``files`` are data files, mentioned files and rules files. ``outputs`` are
    outputs of mentioned cells and values of mentioned variables. ``data_values`` are statistics and
    rows of DataFrames for models on other machines. ``agents`` is the most that an agent may do.
    """

    remote_models: FeatureSetting = "allowed"
    running: FeatureSetting = "allowed"
    completion: FeatureSetting = "allowed"
    receipts: FeatureSetting = "allowed"
    files: FeatureSetting = "allowed"
    outputs: FeatureSetting = "allowed"
    data_values: FeatureSetting = "allowed"
    memory: FeatureSetting = "allowed"
    agents: AgentSetting = "allowed"

    def to_dict(self) -> dict[str, str]:
        return asdict(self)


def parse_features(settings: Mapping[Any, Any]) -> Features:
    """Return the settings of all features, which are allowed by default.

    Raises SettingError for an unknown feature or setting.
    """
    names = [field.name for field in fields(Features)]
    for name, setting in settings.items():
        if name not in names:
            raise SettingError(
                f"AIServer.features: there is no feature “{name}”. "
                f"The features are {', '.join(names)}."
            )
        more = ["always"] if name in _CAN_BE_ALWAYS_ON else []
        values = ["allowed", "forbidden", *more]
        if name == "agents":
            values = list(get_args(AgentSetting))
        if setting not in values:
            raise SettingError(
                f"AIServer.features: “{name}” can't be “{setting}”. "
                f"It can be {', '.join(values[:-1])} or {values[-1]}."
            )
    return Features(**settings)
