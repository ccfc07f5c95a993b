"""A contact and its addresses."""

import re
from typing import Final

from msgspec import Struct

from kithkin.errors import InvalidInput
from kithkin.ids import EntityId, PersonId, SpeakerKey

_CHANNEL: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_LONGEST: Final = 320


class Address(Struct, frozen=True):
    """One identifier of a contact on a channel: the stable id, never a display name."""

    type: str
    value: str

    @property
    def key(self) -> SpeakerKey:
        """The address as a speaker is written: `channel:id`."""
        return SpeakerKey(f"{self.type}:{self.value}")


class Contact(Struct, frozen=True):
    """The address-book side of a person, one each."""

    id: EntityId
    person: PersonId
    addresses: tuple[Address, ...] = ()


def address_of(speaker: str) -> Address:
    """Read `channel:id`. E-mail addresses are the same in any case."""
    channel, mark, value = speaker.strip().partition(":")
    channel, value = channel.lower(), value.strip()
    if not mark or not value or not _CHANNEL.fullmatch(channel):
        raise InvalidInput(
            f"{speaker!r} is no speaker: write the channel and its stable id, "
            "such as telegram:123456789."
        )
    if len(value) > _LONGEST or not value.isprintable():
        raise InvalidInput(f"{speaker[:40]!r}… cannot be an id on a channel.")
    return Address(type=channel, value=value.lower() if channel == "email" else value)
