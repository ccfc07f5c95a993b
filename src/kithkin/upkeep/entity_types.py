"""Every domain's entity types, imported here so that each process keeps all their look-up rows."""

from kithkin.accounts import store as accounts
from kithkin.artifacts import store as artifacts
from kithkin.chats import store as chats
from kithkin.contacts import store as contacts
from kithkin.conversations import store as conversations
from kithkin.core import timeline
from kithkin.disclosure import indexing
from kithkin.friends import store as friends
from kithkin.memories import store as memories
from kithkin.outbound import store as approvals
from kithkin.people import store as people
from kithkin.personas import store as personas
from kithkin.questions import store as questions
from kithkin.relations import store as relations

__all__ = [
    "accounts",
    "approvals",
    "artifacts",
    "chats",
    "contacts",
    "conversations",
    "friends",
    "indexing",
    "memories",
    "people",
    "personas",
    "questions",
    "relations",
    "timeline",
]
