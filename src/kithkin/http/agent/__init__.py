"""The routes of agents and connectors. Nothing here can reach what is the owner's alone."""

from kithkin.app.verbs import VERBS
from kithkin.connector import VERBS as CONNECTOR_VERBS
from kithkin.verb import Verb


def verbs() -> tuple[Verb, ...]:
    """Everything an agent or a connector may use."""
    return (*VERBS, *CONNECTOR_VERBS)
