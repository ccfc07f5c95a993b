"""How the steward asks what was real: the specification's words, from typed values."""

from collections.abc import Sequence

from kithkin.personas.model import Asked, Change

_FIRST = 0
_ORDER = ("fact", "person", "trait", "topic")


def rank_of(data_type: str) -> int:
    """Facts are asked about before persons, persons before traits, traits before topics."""
    return _ORDER.index(data_type) if data_type in _ORDER else len(_ORDER)


def context_of(asked: Asked, change: Change) -> str:
    """What a persona did, on one line."""
    name = one_line(asked.name)
    if change.is_new:
        told = one_line(change.said or change.new)
        return f'{change.persona_name} added a new {asked.data_type}: "{name}" - {told}'
    return f'{change.persona_name} updated "{name}": {one_line(change.new)}'


def question(asked: Sequence[Asked], *, times: int = _FIRST) -> str:
    """The steward's question about one thing or several; "" about nothing.

    `times` is how often it was asked before without a clear answer: then it is put differently.
    """
    if not asked:
        return ""
    if len(asked) == 1 and len(asked[0].changes) == 1:
        return _one(asked[0], asked[0].changes[0], times)
    return _several(asked, times)


def _one(asked: Asked, change: Change, times: int) -> str:
    did = "picked up" if change.is_new else "updated"
    who = change.persona_name
    noticed = f'I noticed {who} {did} something about you: "{one_line(asked.name)}"'
    if times == _FIRST:
        ask = f"Was that based on something real, or just part of your conversation with {who}?"
    else:
        noticed = f"I am still not sure about something {who} {did}: {_quoted(asked)}"
        ask = _plainly("it")
    return f"{noticed}\n\n{context_of(asked, change)}\n\n{ask}"


def _several(asked: Sequence[Asked], times: int) -> str:
    items = "\n".join(_bullet(one) for one in asked)
    opening = "A few personas updated some general information about you:"
    ask = "Are these based on real things, or should they stay within those specific conversations?"
    if times != _FIRST:
        opening = "I am still not sure about these:"
        ask = _plainly("each")
    return f"{opening}\n\n{items}\n\n{ask}"


def _bullet(asked: Asked) -> str:
    """A line for a thing; whoever else touched it is on the same line, so that lines count."""
    told = "; ".join(
        f"{change.persona_name}: {context_of(asked, change)}" for change in asked.changes
    )
    return f"- {told}"


def _quoted(asked: Asked) -> str:
    return f'"{one_line(asked.name)}"'


def _plainly(what: str) -> str:
    return (
        f'Please say for {what}: "real" keeps it, "role-play" leaves it in that conversation, '
        '"remove" deletes it.'
    )


def one_line(text: str) -> str:
    """A text that cannot break the message it stands in."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat.replace('"', "'")
