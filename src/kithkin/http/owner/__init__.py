"""The owner's routes: what agents' code cannot reach."""

from collections.abc import Mapping
from typing import Any

from kithkin.api.acting import Acting
from kithkin.api.owner import Admin
from kithkin.verb import Authority, Verb
from kithkin.verbs.owner_verbs import VERBS


def verbs() -> tuple[Verb, ...]:
    """Everything that is the owner's alone."""
    return VERBS


def facades(acting: Acting) -> Mapping[Authority, Any]:
    """What the owner uses: their own facade, and an agent's with the owner's eyes."""
    admin = Admin(acting, where=str(acting.home or ""))
    return {"owner": admin, "agent": admin.kin}
