"""One way to write each address: what the channels and people write in many."""

import re
from typing import Final

from kithkin.contacts.model import Address, Contact
from kithkin.errors import InvalidInput

HANDLE: Final = "_handle"
"""What is added to a channel's name for the type of its handles, which may change hands."""
_CHANNEL: Final = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_EMAIL: Final = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+")
# The name before the brackets holds no address of its own, which lenient readers would take.
_NAMED_EMAIL: Final = re.compile(r"[^<>@]*<([^<>]+)>")
_PHONE: Final = re.compile(r"\+?[0-9]{3,20}")
_BY_PHONE: Final = ("phone", "sms", "whatsapp", "signal")
_LONGEST: Final = 320


def address_of(speaker: str) -> Address:
    """Read `channel:id`."""
    channel, mark, value = speaker.strip().partition(":")
    if not mark:
        raise _no_speaker(speaker)
    return normalised(channel, value)


def normalised(channel: str, value: str) -> Address:
    """An address as it is stored: `@Name` is a handle, `John <J@X.com>` is `j@x.com`."""
    channel, value = channel.strip().lower(), value.strip()
    if not value or not _CHANNEL.fullmatch(channel):
        raise _no_speaker(f"{channel}:{value}")
    if len(value) > _LONGEST or not value.isprintable():
        raise InvalidInput(f"{value[:40]!r}… cannot be an id on a channel.")
    if channel == "email":
        return Address(channel, _email(value))
    if channel in _BY_PHONE:
        return Address(channel, _phone(value))
    if value.startswith("@") and len(value) > 1:
        return Address(channel.removesuffix(HANDLE) + HANDLE, value[1:].lower())
    return Address(channel, value.lower() if channel.endswith(HANDLE) else value)


def is_handle(address: Address) -> bool:
    """Whether it is a name on the channel that somebody else may have tomorrow."""
    return address.type.endswith(HANDLE)


def speaks_at(contact: Contact) -> Address | None:
    """Where somebody speaks, when nothing says it: the primary address, else one they keep."""
    have = [one for one in contact.addresses if not one.secured]
    return max(have, key=lambda one: (one.is_primary, not is_handle(one)), default=None)


def _email(value: str) -> str:
    found = _NAMED_EMAIL.fullmatch(value)
    address = found[1].strip() if found else value
    if not _EMAIL.fullmatch(address):
        raise InvalidInput(f"{value!r} is not one e-mail address, such as sarah@example.com.")
    # ASCII only: to Unicode the Kelvin sign is a k, to a mail server it is somebody else.
    return "".join(c.lower() if c.isascii() else c for c in address)


def _phone(value: str) -> str:
    digits = re.sub(r"[\s().\-/]", "", value)
    number = f"+{digits[2:]}" if digits.startswith("00") else digits
    return number if _PHONE.fullmatch(number) else value


def _no_speaker(text: str) -> InvalidInput:
    return InvalidInput(
        f"{text!r} is no speaker: write the channel and its stable id, such as telegram:123456789."
    )
