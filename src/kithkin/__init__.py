"""Kithkin: who everyone is, what is known about them, what may be said to whom, and why.

Names are loaded when they are first used, so that `import kithkin` costs next to nothing.
"""

from kithkin.version import __version__

# Type checkers take this name for true; loading `typing` would double the time of `--version`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kithkin.admin import Admin
    from kithkin.app import Kithkin
    from kithkin.artifacts.model import Conflicted
    from kithkin.connector import Connector
    from kithkin.errors import (
        InvalidInput,
        KithkinError,
        NotFound,
        Refused,
        StaleEdit,
        StorageError,
    )
    from kithkin.journeys.edit import Why
    from kithkin.journeys.explore import Wanted
    from kithkin.journeys.recall import Recalled
    from kithkin.journeys.receive import Incoming
    from kithkin.journeys.send import Queued, Waits
    from kithkin.memories.model import Memory
    from kithkin.people.cluster import Record, group_records
    from kithkin.people.model import Ambiguous, Context, Found, Person, Turn, Unknown
    from kithkin.people.names import same_name
    from kithkin.ports import Models
    from kithkin.soil.model import Extension, Message, Note, SystemEvent, ToolCall, ToolResult

_HOMES = {
    "Admin": "kithkin.admin",
    "Kithkin": "kithkin.app",
    "Connector": "kithkin.connector",
    "Conflicted": "kithkin.artifacts.model",
    "InvalidInput": "kithkin.errors",
    "KithkinError": "kithkin.errors",
    "NotFound": "kithkin.errors",
    "Refused": "kithkin.errors",
    "StaleEdit": "kithkin.errors",
    "StorageError": "kithkin.errors",
    "Why": "kithkin.journeys.edit",
    "Wanted": "kithkin.journeys.explore",
    "Incoming": "kithkin.journeys.receive",
    "Queued": "kithkin.journeys.send",
    "Waits": "kithkin.journeys.send",
    "Recalled": "kithkin.journeys.recall",
    "Memory": "kithkin.memories.model",
    "Record": "kithkin.people.cluster",
    "group_records": "kithkin.people.cluster",
    "Ambiguous": "kithkin.people.model",
    "Context": "kithkin.people.model",
    "Found": "kithkin.people.model",
    "Person": "kithkin.people.model",
    "Turn": "kithkin.people.model",
    "Unknown": "kithkin.people.model",
    "same_name": "kithkin.people.names",
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
