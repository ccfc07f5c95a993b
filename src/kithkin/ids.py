"""Identifiers: each a type of its own, so that an id never stands where a name belongs."""

from typing import Final, NewType
from uuid import uuid4

ItemId = NewType("ItemId", str)
EntityId = NewType("EntityId", str)
RelationId = NewType("RelationId", str)
PersonId = NewType("PersonId", str)
"""The uuid of a person's entity: the subject id used everywhere."""
ChatId = NewType("ChatId", str)
ContactId = NewType("ContactId", str)
AccountId = NewType("AccountId", str)
AgentId = NewType("AgentId", str)
QuestionId = NewType("QuestionId", str)
RuleId = NewType("RuleId", str)
SecretId = NewType("SecretId", str)
PairId = NewType("PairId", str)
TokenId = NewType("TokenId", str)
WebhookId = NewType("WebhookId", str)
MemoryId = NewType("MemoryId", str)
"""The uuid of a memory's entity."""
SpeakerKey = NewType("SpeakerKey", str)
"""Who says something now: `channel:id`, the stable id of the channel, never a name."""

FRIEND: Final = "friend"
"""The channel between the accounts of a realm. Nobody has an address on it: agents write there."""


def new_item_id() -> ItemId:
    """A fresh id for a fact in Soil."""
    return ItemId(f"item_{uuid4()}")


def new_entity_id() -> EntityId:
    """A fresh id for a belief in Core."""
    return EntityId(f"entity_{uuid4()}")


def new_relation_id() -> RelationId:
    """A fresh id for an edge."""
    return RelationId(f"rel_{uuid4()}")


def friend_key(account: AccountId) -> SpeakerKey:
    """An account as it speaks to its friends."""
    return SpeakerKey(f"{FRIEND}:{account}")
