"""The routes of agents and connectors. Nothing here can reach what is the owner's alone."""

from kithkin.api.connector import VERBS as CONNECTOR_VERBS
from kithkin.verb import Verb
from kithkin.verbs.agent_verbs import VERBS


def verbs() -> tuple[Verb, ...]:
    """Everything an agent or a connector may use."""
    return (*VERBS, *CONNECTOR_VERBS)
