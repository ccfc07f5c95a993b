"""The line that tells an agent whose words follow: no name in it can forge it."""

import re
import unicodedata
from typing import Final

from kithkin.contacts.model import Known

_PLAIN: Final = re.compile(r"[^\W_](?:[^\W_]|[ .'\u2019-]){0,79}")
_RESERVED: Final = frozenset(
    {"owner", "unknown", "unverified", "sender", "source", "system", "via"}
)
_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST: Final = 80


def preamble(sender: Known, *, channel: str, verified: bool) -> str:
    """Who speaks, on which channel, with the ids that facts are kept under."""
    contact = sender.contact
    ids = f"contact_id: {contact.id}, entity_id: {contact.person}"
    if contact.unknown:
        who = f"Unknown sender (temp_contact_id: {contact.id}, entity_id: {contact.person})"
        return f"[Source: {who}, via {channel} — pending disambiguation]"
    if not verified:
        who = f"Unverified sender (claims to be {spoken(sender.name)}, {ids})"
        return f"[Source: {who}, via {channel} — not verified]"
    if contact.is_owner:
        return f"[Source: Owner ({ids}), via {channel}]"
    return f"[Source: {spoken(sender.name)} ({ids}), via {channel}]"


def spoken(name: str) -> str:
    """A name that is only a name: one that could be read as more stands in quotes, defused."""
    flat = " ".join(unicodedata.normalize("NFKC", name).split())
    if _PLAIN.fullmatch(flat) and not _reads_as_more(flat):
        return flat
    kept = "".join(c if c.isalnum() or c in " .'\u2019-@_" else " " for c in flat)
    return f"“{' '.join(kept.split())[:_LONGEST]}”"


def _reads_as_more(name: str) -> bool:
    """Whether a name says something of its own, or only looks like the letters it is made of."""
    words = {word.casefold() for word in _WORD.findall(name)}
    scripts = {unicodedata.name(c, "").split(" ")[0] for c in name if c.isalpha()}
    mixed = len(scripts & {"LATIN", "CYRILLIC", "GREEK"}) > 1
    return bool(words & _RESERVED) or mixed or ". " in name.removeprefix("Dr. ")
