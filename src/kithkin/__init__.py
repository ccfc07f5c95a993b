"""Kithkin: who everyone is, what is known about them, what may be said to whom, and why.

Names are loaded when they are first used, so that `import kithkin` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from kithkin.version import __version__

if TYPE_CHECKING:
    from kithkin.admin import Admin
    from kithkin.app import Kithkin
    from kithkin.errors import (
        InvalidInput,
        KithkinError,
        NotFound,
        Refused,
        StaleEdit,
        StorageError,
    )
    from kithkin.journeys.explore import Wanted
    from kithkin.soil.model import Extension, Message, Note, SystemEvent, ToolCall, ToolResult

_HOMES: Final = {
    "Admin": "kithkin.admin",
    "Kithkin": "kithkin.app",
    "InvalidInput": "kithkin.errors",
    "KithkinError": "kithkin.errors",
    "NotFound": "kithkin.errors",
    "Refused": "kithkin.errors",
    "StaleEdit": "kithkin.errors",
    "StorageError": "kithkin.errors",
    "Wanted": "kithkin.journeys.explore",
    "Extension": "kithkin.soil.model",
    "Message": "kithkin.soil.model",
    "Note": "kithkin.soil.model",
    "SystemEvent": "kithkin.soil.model",
    "ToolCall": "kithkin.soil.model",
    "ToolResult": "kithkin.soil.model",
}

__all__ = [
    "Admin",
    "Extension",
    "InvalidInput",
    "Kithkin",
    "KithkinError",
    "Message",
    "NotFound",
    "Note",
    "Refused",
    "StaleEdit",
    "StorageError",
    "SystemEvent",
    "ToolCall",
    "ToolResult",
    "Wanted",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'kithkin' has no attribute {name!r}")
    return getattr(import_module(home), name)
