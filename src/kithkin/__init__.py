"""Kithkin: who everyone is, what is known about them, what may be said to whom, and why.

Names are loaded when they are first used, so that `import kithkin` costs next to nothing.
"""

from kithkin.version import __version__

# Type checkers take this name for true; loading `typing` would double the time of `--version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kithkin.api.connector import Connector
    from kithkin.api.kithkin import Kithkin
    from kithkin.api.owner import Admin
    from kithkin.artifacts.artifact_edit import Why
    from kithkin.artifacts.model import Conflicted
    from kithkin.disclosure.explore import Wanted
    from kithkin.errors import (
        InvalidInput,
        KithkinError,
        NotFound,
        Refused,
        StaleEdit,
        StorageError,
    )
    from kithkin.intake.receive import Incoming
    from kithkin.language.names import same_name
    from kithkin.memories.model import Memory
    from kithkin.memories.recall import Recalled
    from kithkin.outbound.send import Queued, Waits
    from kithkin.people.clusters import Record, group_records
    from kithkin.people.model import Ambiguous, Context, Found, Person, Turn, Unknown
    from kithkin.ports import Models
    from kithkin.soil.model import Extension, Message, Note, SystemEvent, ToolCall, ToolResult

_HOMES = {
    "Admin": "kithkin.api.owner",
    "Kithkin": "kithkin.api.kithkin",
    "Connector": "kithkin.api.connector",
    "Conflicted": "kithkin.artifacts.model",
    "InvalidInput": "kithkin.errors",
    "KithkinError": "kithkin.errors",
    "NotFound": "kithkin.errors",
    "Refused": "kithkin.errors",
    "StaleEdit": "kithkin.errors",
    "StorageError": "kithkin.errors",
    "Why": "kithkin.artifacts.artifact_edit",
    "Wanted": "kithkin.disclosure.explore",
    "Incoming": "kithkin.intake.receive",
    "Queued": "kithkin.outbound.send",
    "Waits": "kithkin.outbound.send",
    "Recalled": "kithkin.memories.recall",
    "Memory": "kithkin.memories.model",
    "Record": "kithkin.people.clusters",
    "group_records": "kithkin.people.clusters",
    "Ambiguous": "kithkin.people.model",
    "Context": "kithkin.people.model",
    "Found": "kithkin.people.model",
    "Person": "kithkin.people.model",
    "Turn": "kithkin.people.model",
    "Unknown": "kithkin.people.model",
    "same_name": "kithkin.language.names",
    "Models": "kithkin.ports",
    "Extension": "kithkin.soil.model",
    "Message": "kithkin.soil.model",
    "Note": "kithkin.soil.model",
    "SystemEvent": "kithkin.soil.model",
    "ToolCall": "kithkin.soil.model",
    "ToolResult": "kithkin.soil.model",
}

__all__ = [
    "Admin",
    "Ambiguous",
    "Conflicted",
    "Connector",
    "Context",
    "Extension",
    "Found",
    "Incoming",
    "InvalidInput",
    "Kithkin",
    "KithkinError",
    "Memory",
    "Message",
    "Models",
    "NotFound",
    "Note",
    "Person",
    "Queued",
    "Recalled",
    "Record",
    "Refused",
    "StaleEdit",
    "StorageError",
    "SystemEvent",
    "ToolCall",
    "ToolResult",
    "Turn",
    "Unknown",
    "Waits",
    "Wanted",
    "Why",
    "__version__",
    "group_records",
    "same_name",
]


def __getattr__(name: str) -> "Any":
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kithkin' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - for whoever uses more than the version

    return getattr(import_module(home), name)
