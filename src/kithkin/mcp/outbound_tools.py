"""The tools that reach people: notices, questions, the inbox, friends."""

from typing import Annotated

from msgspec import Meta

from kithkin.friends.model import Done, Sent
from kithkin.mcp import answers
from kithkin.mcp.answers import Mail, Open
from kithkin.mcp.argument_help import BecauseOf, Limit, Nametag
from kithkin.mcp.caller import Caller
from kithkin.outbound.send import Outcome
from kithkin.questions.model import Kind, State


def notify(
    caller: Caller,
    *,
    message: Annotated[str, Meta(description="What to tell them, as they will read it.")],
    contact_id: Annotated[str | None, Meta(description="Whom: a contact's id.")] = None,
    recipient: Annotated[
        str | None, Meta(description="Or an address on the channel, such as sarah@example.com.")
    ] = None,
    channel: Annotated[
        str | None, Meta(description="telegram, email, …: needed with a recipient.")
    ] = None,
    because_of: BecauseOf = None,
    reason: Annotated[str | None, Meta(description="Why, for whoever is asked.")] = None,
) -> Outcome:
    """Tell somebody something, once it may leave."""
    return caller.kin.outbound.notify(
        message,
        channel=channel,
        contact_id=contact_id,
        recipient=recipient,
        because_of=because_of,
        reason=reason,
    )


def questions(
    caller: Caller,
    *,
    state: Annotated[State, Meta(description="Only those.")] = "open",
    kind: Annotated[Kind | None, Meta(description="Only of this kind.")] = None,
) -> Open:
    """List what waits for a human."""
    found = caller.kin.questions.list(state=state, kind=kind)
    return Open(tuple(map(answers.asked, found)))


def inbox(
    caller: Caller,
    *,
    after: Annotated[int, Meta(description="Only after this seq.", ge=0)] = 0,
    limit: Limit = 20,
    done: Annotated[
        list[str],
        Meta(
            description="Entries you have dealt with, by id: they do not come again.",
            max_length=100,
        ),
    ] = [],  # noqa: B006 - never changed
) -> Mail:
    """Read what came, having said what is dealt with."""
    for entry in done:
        caller.kin.inbox.ack(entry)
    came = caller.kin.inbox.list(after=after, limit=limit)
    return Mail(tuple(map(answers.waiting, came)))


def friend_add(caller: Caller, *, nametag: Nametag) -> Done:
    """Ask somebody to be friends, or accept."""
    return caller.kin.friends.add(nametag)


def friend_remove(caller: Caller, *, nametag: Nametag) -> Done:
    """End a friendship, reject, or take back a request."""
    return caller.kin.friends.remove(nametag)


def friend_send(
    caller: Caller,
    *,
    nametag: Nametag,
    message: Annotated[str, Meta(description="The words of the person you act for.")],
) -> Sent:
    """Write to a friend."""
    return caller.kin.friends.send(nametag, message)
