"""What a model sends, read as what a tool takes: names it is likely to use are understood."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, get_type_hints

import msgspec
from msgspec import Struct

from kithkin.canonical import require_text
from kithkin.errors import InvalidInput

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("content", "message", "fact", "memory", "statement", "query"),
    "query": ("question", "q", "search", "text", "topic"),
    "message": ("text", "content", "body"),
    "note": ("text", "content", "fact", "observation", "message"),
    "person": ("who", "name", "reference", "subject", "person_name", "person_id", "about"),
    "id": ("uuid", "memory_id", "item_id", "memory", "item", "what"),
    "nametag": ("friend", "to", "user", "name", "who", "recipient"),
    "artifact": ("label", "name", "document", "title", "artifact_id"),
    "content": ("text", "new_content", "body"),
    "based_on": ("based_on_hash", "commit", "parent"),
    "contact_id": ("contact",),
    "recipient": ("to", "address"),
    "channel": ("via",),
    "because_of": ("in_reply_to", "reply_to", "source", "caused_by"),
    "on_behalf_of": ("speaker", "as", "asked_by", "sender", "said_by", "user_id"),
    "speaker": ("on_behalf_of", "as", "asked_by", "sender", "said_by", "user_id"),
    "chat": ("chat_id", "conversation", "conversation_id", "channel_id"),
    "limit": ("k", "top_k", "n", "count", "max", "max_results", "most"),
    "after": ("cursor", "since_seq"),
    "before": ("cursor", "next", "page"),
    "since": ("from", "start"),
    "until": ("end",),
    "done": ("ack", "acknowledge", "acked"),
    "project": ("project_id", "project_name"),
}
"""What models really send for what a tool takes, the likeliest first."""

Arguments = dict[str, Any]
_WHO: Final = ("on_behalf_of", "speaker")


def arguments_of(function: Callable[..., Any], *, leave_out: Iterable[str]) -> type[Struct]:
    """What a function takes, as a type that reads and describes it."""
    hints = get_type_hints(function, include_extras=True)
    fields = [
        (name, hints[name])
        if one.default is inspect.Parameter.empty
        else (name, hints[name], one.default)
        for name, one in inspect.signature(function).parameters.items()
        if name not in leave_out
    ]
    # Fields without a default come first; the schema does not care for the order.
    fields.sort(key=len)
    return msgspec.defstruct(function.__name__, fields, frozen=True, forbid_unknown_fields=True)


def read(sent: Mapping[str, Any], takes: type[Struct]) -> Arguments:
    """What was sent, under the tool's own names and of its types; wrong ones are named."""
    given = _present(understood(sent, takes.__struct_fields__), takes)
    _require_known(given, takes)
    for name, value in given.items():
        for text in _texts(value):
            require_text(text, what=name)
    try:
        # Models write numbers and truths as text; what is clear is taken.
        read_ = msgspec.convert(given, takes, strict=False)
    except msgspec.ValidationError as wrong:
        raise InvalidInput(f"{_where(str(wrong))} {_usage(takes)}") from None
    return {name: getattr(read_, name) for name in takes.__struct_fields__}


def understood(sent: Mapping[str, Any], takes: tuple[str, ...]) -> Arguments:
    """Each argument under the name the tool has for it. A name of the tool's own is kept."""
    given = dict(sent)
    for name in takes:
        if name not in given:
            other = next((a for a in ALIASES.get(name, ()) if a in given and a not in takes), None)
            if other is not None:
                given[name] = given.pop(other)
    return given


def _present(given: Arguments, takes: type[Struct]) -> Arguments:
    """Without what is there only in name: null, or no text where none is needed.

    Whose eyes are meant is never guessed: who is named by nothing is refused later.
    """
    kept = {*_required(takes), *_WHO}
    return {
        name: value
        for name, value in given.items()
        if value is not None and (value != "" or name in kept)
    }


def _require_known(given: Arguments, takes: type[Struct]) -> None:
    if strange := [name for name in given if name not in takes.__struct_fields__]:
        raise InvalidInput(f"There is no argument {strange[0]!r}. {_usage(takes)}")
    if missing := [name for name in _required(takes) if name not in given]:
        raise InvalidInput(f"The argument {missing[0]!r} is missing. {_usage(takes)}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        yield from _texts([*value, *value.values()])


def _required(takes: type[Struct]) -> tuple[str, ...]:
    return tuple(one.name for one in msgspec.structs.fields(takes) if one.required)


def _where(wrong: str) -> str:
    """The error "Expected `int`, got `str` - at `$.limit`", beginning with where."""
    what, mark, place = wrong.rpartition(" - at `$")
    return f"{place.strip('`.')}: {what[0].lower()}{what[1:]}." if mark else f"{wrong}."


def _usage(takes: type[Struct]) -> str:
    required = _required(takes)
    names = [name if name in required else f"[{name}]" for name in takes.__struct_fields__]
    return f"{takes.__name__} takes: {', '.join(names)}."
