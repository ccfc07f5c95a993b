"""What a third party may not take back: somebody's own word about themselves."""

from collections.abc import Collection

from kithkin.ids import SpeakerKey
from kithkin.people.model import AliasEntry, RelationshipClaim


def may_remove_alias(
    alias: AliasEntry, *, own_keys: Collection[SpeakerKey], actor_keys: Collection[SpeakerKey]
) -> bool:
    """Whether the actor may remove it: an alias that the person added is theirs to remove.

    `own_keys` are the keys of the person who has the alias.
    """
    return alias.added_by not in own_keys or bool(set(actor_keys) & set(own_keys))


def may_overwrite_claim(
    claim: RelationshipClaim,
    *,
    own_keys: Collection[SpeakerKey],
    actor_keys: Collection[SpeakerKey],
    other_keys: Collection[SpeakerKey] = (),
) -> bool:
    """Whether the actor may change or remove it: a claim the person stated of themselves stands.

    `other_keys` are the keys of the other person in the relationship, who may correct it too.
    """
    if claim.stated_by not in own_keys:
        return True
    return bool(set(actor_keys) & {*own_keys, *other_keys})
