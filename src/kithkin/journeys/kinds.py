"""Every domain's entity types, imported here so that each process keeps all their look-up rows."""

from collections.abc import Mapping
from typing import Final

from kithkin.chats import store as chats
from kithkin.contacts import store as contacts
from kithkin.core import timeline
from kithkin.journeys import indexing
from kithkin.memories import store as memories
from kithkin.people import store as people
from kithkin.relations import store as relations

OWN_JOURNEY: Final[Mapping[str, str]] = {
    timeline.OVERRIDE: "`kithkin correct`",
    relations.RELATION: "`kithkin relate` and `kithkin unrelate`",
    people.PERSON: "`kithkin people`",
    people.MERGE: "`kithkin people merge` and `kithkin people unmerge`",
    contacts.CONTACT: "`kithkin people self`",
    memories.MEMORY: "`kithkin memory`",
    chats.CHAT: "the connector that brings its messages",
}
"""Types whose rules live in a domain: the plain entity commands leave them alone."""

__all__ = ["OWN_JOURNEY", "indexing"]
