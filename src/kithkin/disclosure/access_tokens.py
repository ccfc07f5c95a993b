"""The disclosure rule as tokens that an index can match: who may see it finds it.

The tokens only narrow what is looked at. Whatever the index finds is decided by the rule itself; a
proof shows that the tokens never leave out what the rule would show.
"""

from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

from kithkin.disclosure.rule import Audience, Record
from kithkin.ids import ChatId, MemoryId

_OPEN = "o0"


class Indexed(Struct, frozen=True, omit_defaults=True):
    """What the index keeps of a document for the rule; who was there is kept by place."""

    record: Record
    place: str | None = None
    superseded_by: MemoryId | None = None


def place_of(chat: ChatId | str, version: int) -> str:
    """A state of a chat: who was there then is the same for everything said in it."""
    return f"{chat}@{version}"


def tokens_of(indexed: Indexed) -> tuple[str, ...]:
    """The tokens a document carries."""
    record = indexed.record
    tokens = [_token("c", record.chat)] if record.chat else []
    if record.private:
        return tuple(tokens)
    if record.said_by and (record.sensitivity != "public" or record.source == "private"):
        tokens.append(_token("s", record.said_by))
    if record.sensitivity == "sensitive":
        subjects = record.subjects if record.portable else ()
        return (*tokens, *(_token("t", person) for person in subjects))
    if record.sensitivity == "personal":
        return tuple(tokens)
    if record.source == "owner" or (record.portable and record.source != "unknown"):
        tokens.append(_OPEN)
    if record.source == "shared" and indexed.place:
        tokens.append(_token("w", indexed.place))
    return tuple(tokens)


def tokens_for(audience: Audience, places: Collection[str]) -> tuple[str, ...]:
    """The tokens an audience holds; `places` are those where all of it was."""
    tokens = [_token("c", audience.chat)] if audience.chat else []
    if not audience.hearers or not all(hearer.verified for hearer in audience.hearers):
        return tuple(tokens)
    tokens.append(_OPEN)
    tokens += [_token("w", place) for place in sorted(places)]
    if len(audience.hearers) == 1:
        for person in sorted(audience.hearers[0].ids):
            tokens += [_token("s", person), _token("t", person)]
    return tuple(tokens)


@lru_cache(maxsize=65536)
def _token(kind: str, uuid: str) -> str:
    # It ends in a digit, so that no stemmer takes an ending off.
    return f"{kind}{sha256(uuid.encode()).hexdigest()[:20]}0"
