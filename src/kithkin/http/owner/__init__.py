"""The owner's routes: what agents' code cannot reach."""

from collections.abc import Mapping
from typing import Any

from kithkin.acting import Acting
from kithkin.admin import Admin
from kithkin.admin.verbs import VERBS
from kithkin.verb import Authority, Verb


def verbs() -> tuple[Verb, ...]:
    """Everything that is the owner's alone."""
    return VERBS


def facades(acting: Acting) -> Mapping[Authority, Any]:
    """What the owner uses: their own facade, and an agent's with the owner's eyes."""
    admin = Admin(acting, where=str(acting.home or ""))
    return {"owner": admin, "agent": admin.kin}
