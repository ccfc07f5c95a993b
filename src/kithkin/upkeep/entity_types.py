"""Every domain's entity types, imported here so that each process keeps all their look-up rows."""

from collections.abc import Mapping
from typing import Final

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

OWN_JOURNEY: Final[Mapping[str, str]] = {
    timeline.OVERRIDE: "`kithkin correct`",
    relations.RELATION: "`kithkin relate` and `kithkin unrelate`",
    people.PERSON: "`kithkin people`",
    people.MERGE: "`kithkin people merge` and `kithkin people unmerge`",
    contacts.CONTACT: "`kithkin contacts`",
    accounts.ACCOUNT: "`kithkin account`",
    accounts.AGENT: "`kithkin agents`",
    questions.QUESTION: "`kithkin questions`",
    approvals.RULE: "`kithkin rules`",
    friends.PAIR: "`kithkin friend`",
    memories.MEMORY: "`kithkin memory`",
    personas.PERSONA: "`kithkin persona`",
    chats.CHAT: "the connector that brings its messages",
    conversations.PROJECT: "`kithkin project`",
    conversations.LOG: "`kithkin branch`",
    conversations.SCRATCHPAD: "`kithkin read note`",
    artifacts.ARTIFACT: "`kithkin artifact`",
    artifacts.PROPOSAL: "`kithkin artifact accept` and `kithkin artifact reject`",
}
"""Types whose rules live in a domain: the plain entity commands leave them alone."""

__all__ = ["OWN_JOURNEY", "indexing"]
