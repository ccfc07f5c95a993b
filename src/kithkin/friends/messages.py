"""What an agent is told, to the letter; every value in it is escaped."""

import html
import re
from typing import Final

from kithkin.canonical import require_text
from kithkin.errors import InvalidInput
from kithkin.friends.model import Confirmed, Requested, Told, Unfriended

LONGEST: Final = 20_000
_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def notice(step: Told, nametag: str) -> str:
    """What the other's agents read of a step that `nametag` took."""
    who = escaped(nametag)
    match step:
        case Requested():
            told = f'User {who} wants to be your friend. Use friend_add("{who}") to accept.'
        case Confirmed():
            told = f"{who} accepted your friend request. You are now friends."
        case Unfriended():
            told = f"{who} removed you as a friend."
    return _system_message(who, told)


def friend_message(nametag: str, words: str) -> str:
    """A friend's words, quoted: nothing in them ends the quotation."""
    who = escaped(nametag)
    return _system_message(who, f"Message from {who}: {escaped(words)}")


def checked_message(words: str) -> str:
    """The words of a message, or why they cannot be sent."""
    if not require_text(words, what="The message").strip():
        raise InvalidInput("The message is empty: write what your friend should read.")
    if len(words) > LONGEST:
        raise InvalidInput(
            f"The message has {len(words):,} characters, and at most {LONGEST:,} are sent: "
            "shorten it, or send it in parts."
        )
    return words


def escaped(value: str) -> str:
    """A value that stays a value, in text and in attributes."""
    # What XML has no way to write is shown as lost, never passed on.
    kept = _NO_XML.sub("\ufffd", value)
    return html.escape(kept, quote=False).replace('"', "&quot;")


def _system_message(who: str, told: str) -> str:
    return f'<system_message origin="friend:{who}">\n{told}\n</system_message>'
