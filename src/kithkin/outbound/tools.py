"""Which tools send something out, and whom a call of one would reach."""

from collections.abc import Iterable, Mapping
from email.utils import getaddresses
from typing import Any, Final

from msgspec import Struct

from kithkin.errors import InvalidInput
from kithkin.outbound.model import Aim, Call

TARGETS: Final = frozenset(
    {
        "contact_id",
        "contact_ids",
        "recipient",
        "recipients",
        "chat_id",
        "to",
        "cc",
        "bcc",
        "channel_id",
        "address",
        "phone",
        "email",
    }
)
"""Arguments that name somebody, whatever the tool: one that a rule does not know still counts."""
_BY_ID: Final = frozenset({"contact_id", "contact_ids"})


class Tool(Struct, frozen=True):
    """An outbound tool: its channel (else the call's `channel`), and where its words stand."""

    name: str
    channel: str | None = None
    text: tuple[str, ...] = ("message", "text", "body")
    arguments: tuple[str, ...] = ()
    """What else it takes; anything beyond this may be a way to reach somebody."""
    risky: bool = True
    """Whether a standing rule must pin at least one argument."""


BUILT_IN: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool("notify", arguments=("question",)),
        Tool("telegram_send_message", "telegram"),
        Tool("telegram_reply_to_message", "telegram", arguments=("message_id",)),
        Tool("email_send_message", "email", arguments=("subject",)),
        Tool("email_reply_to_thread", "email", arguments=("subject", "thread_id")),
    )
}

FORMER_NAMES: Final[Mapping[str, str]] = {
    f"{whose}_{name}": name for name in BUILT_IN if name != "notify" for whose in ("user", "bot")
}
"""What tools were called before: accepted for one release, with a warning."""


def tool_named(name: str, tools: Mapping[str, Tool]) -> Tool:
    """The tool of that name; one that nobody listed is gated like any other."""
    return tools.get(name) or Tool(name)


def channel_of(call: Call, tool: Tool) -> str | None:
    """The channel a call would go out by."""
    said = call.arguments.get("channel")
    return tool.channel or (said.strip().lower() if isinstance(said, str) and said else None)


def words_of(call: Call, tool: Tool) -> str:
    """What a call would say."""
    found = (call.arguments.get(name) for name in tool.text)
    return next((words for words in found if isinstance(words, str)), "")


def undeclared(call: Call, tool: Tool) -> tuple[str, ...]:
    """Arguments that the tool is not known to take: what they do, nobody has said."""
    known = {"channel", *tool.text, *tool.arguments, *TARGETS}
    return tuple(name for name in call.arguments if name not in known)


def require_clear(call: Call, tool: Tool) -> None:
    """Refuse a call that says two things at once, or hides lines in a heading."""
    said = [name for name in tool.text if call.arguments.get(name)]
    if len(said) > 1:
        raise InvalidInput(f"Say it once: {' and '.join(said)} are both given.")
    subject = call.arguments.get("subject", "")
    if not isinstance(subject, str) or not (subject.isprintable() or not subject):
        raise InvalidInput("The subject is one line of text.")


def aims(call: Call, tool: Tool) -> tuple[Aim, ...]:
    """Everybody a call would reach, each on their own: cc, bcc and lists too."""
    channel = channel_of(call, tool)
    found = [
        aim for name, value in call.arguments.items() for aim in _aims(_plain(name), value, channel)
    ]
    return tuple(dict.fromkeys(found))


def _aims(argument: str, value: Any, channel: str | None) -> Iterable[Aim]:
    if argument in TARGETS:
        for one in _each(value, splits=argument not in _BY_ID):
            yield Aim(argument, one, channel)
    elif isinstance(value, Mapping | list):
        # A target hidden inside another argument: named, so that a human sees it.
        yield from (Aim(f"{argument}.{name}", "?", None) for name in sorted(_hidden(value)))


def _each(value: Any, *, splits: bool) -> Iterable[str]:
    if value is None or value == "":
        return
    if isinstance(value, list | tuple):
        for one in value:
            yield from _each(one, splits=splits)
    elif isinstance(value, str) and splits and any(mark in value for mark in ",;\n<"):
        parts = getaddresses([value.replace(";", ",").replace("\n", ",").replace("\r", ",")])
        # Text that cannot be taken apart is shown whole: it then reaches nobody we know.
        yield from [address for _, address in parts if address] or [value]
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value).strip()
    else:
        yield "?"


def _hidden(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        here = {_plain(name) for name in value} & TARGETS
        return here.union(*map(_hidden, value.values()))
    if isinstance(value, list):
        return set().union(*map(_hidden, value))
    return set()


def _plain(argument: str) -> str:
    return argument.strip().casefold().replace("-", "_")
