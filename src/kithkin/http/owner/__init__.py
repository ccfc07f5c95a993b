"""The owner's routes: what agents' code cannot reach."""

from collections.abc import Mapping
from typing import Any

from kithkin.acting import Acting
from kithkin.admin import Admin
from kithkin.admin.verbs import VERBS
from kithkin.app import Kithkin
from kithkin.verb import Authority, Verb


def verbs() -> tuple[Verb, ...]:
    """Everything that is the owner's alone."""
    return VERBS


def facades(acting: Acting) -> Mapping[Authority, Any]:
    """What the owner uses: their own facade, and an agent's with the owner's eyes."""
    return {"owner": Admin(acting, where=str(acting.home or "")), "agent": Kithkin(acting)}
