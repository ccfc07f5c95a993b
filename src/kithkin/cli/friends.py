"""Commands about friends: what an account's agent asks and writes for its person."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import click

from kithkin.cli.accounts import ACTS_AS, WHICH_AGENT, chosen_agent
from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.friends.model import Done, Friends

_SAID: Final[Mapping[str, str]] = {
    "Requested": "Asked {} to be your friend.",
    "Confirmed": "You and {} are now friends.",
    "Unfriended": "You and {} are no longer friends.",
    "Rejected": "Rejected the request of {}; they are not told.",
    "Cancelled": "Took back your request to {}; they are not told.",
    "Blocked": "Nothing is taken from {} any more.",
    "Unblocked": "{} may ask you again.",
}


@click.group(cls=Group)
def friend() -> None:
    """Ask other accounts to be friends, and write to friends.

    \b
    Example:
      kithkin friend add swift-fox-42 --as happy-penguin-42
    """


@friend.command()
@click.argument("nametag")
@ACTS_AS
@WHICH_AGENT
def add(nametag: str, acts_as: str, agent: str | None) -> None:
    """Ask somebody to be friends, or accept their request.

    A second request waits a week after the first, and a week after a rejection.

    \b
    Example:
      kithkin friend add swift-fox-42 --as happy-penguin-42
    """
    with _acting(acts_as, agent) as kin:
        done = kin.friends.add(nametag)
    _tell(done)


@friend.command()
@click.argument("nametag")
@ACTS_AS
@WHICH_AGENT
def remove(nametag: str, acts_as: str, agent: str | None) -> None:
    """End a friendship, reject a request, or take your own back.

    Only a friend is told.

    \b
    Example:
      kithkin friend remove swift-fox-42 --as happy-penguin-42
    """
    with _acting(acts_as, agent) as kin:
        done = kin.friends.remove(nametag)
    _tell(done)


@friend.command()
@click.argument("nametag")
@click.argument("message")
@ACTS_AS
@WHICH_AGENT
def send(nametag: str, message: str, acts_as: str, agent: str | None) -> None:
    """Write to a friend; their agents read it as your words.

    \b
    Example:
      kithkin friend send swift-fox-42 "Hello!" --as happy-penguin-42
    """
    from kithkin.cli import tables as look

    with _acting(acts_as, agent) as kin:
        sent = kin.friends.send(nametag, message)
    answer(sent, lambda: look.say(f"Sent to {sent.nametag}.{_later(kept=sent.kept)}"))


@friend.command("list")
@ACTS_AS
@WHICH_AGENT
def list_(acts_as: str, agent: str | None) -> None:
    """List friends, requests that wait, and who is blocked.

    \b
    Example:
      kithkin friend list --as happy-penguin-42
    """
    with _acting(acts_as, agent) as kin:
        found = kin.friends.list()
    answer(found, lambda: _tell_list(found))


@friend.command()
@click.argument("nametag")
@ACTS_AS
@WHICH_AGENT
def block(nametag: str, acts_as: str, agent: str | None) -> None:
    """Take nothing from somebody any more.

    A friendship ends, and the friend is told so; a request goes silently.

    \b
    Example:
      kithkin friend block swift-fox-42 --as happy-penguin-42
    """
    with _acting(acts_as, agent) as kin:
        done = kin.friends.block(nametag)
    _tell(done)


@friend.command()
@click.argument("nametag")
@ACTS_AS
@WHICH_AGENT
def unblock(nametag: str, acts_as: str, agent: str | None) -> None:
    """Let somebody ask again.

    \b
    Example:
      kithkin friend unblock swift-fox-42 --as happy-penguin-42
    """
    with _acting(acts_as, agent) as kin:
        done = kin.friends.unblock(nametag)
    _tell(done)


def _acting(nametag: str, agent: str | None) -> "Kithkin":
    with administered() as admin:
        chosen = chosen_agent(admin, nametag, agent)
    return opened(agent=chosen.id)


def _tell(done: "Done") -> None:
    from kithkin.cli import tables as look

    said = _SAID[type(done.step).__name__].format(done.nametag)
    answer(done, lambda: look.say(f"{said}{_later(kept=done.kept)}"))


def _later(*, kept: bool) -> str:
    return " It will be delivered when they are here." if kept else ""


def _tell_list(found: "Friends") -> None:
    from kithkin.cli import tables as look

    rows = [
        *((one.nametag, "friend", look.ago(one.since), one.name) for one in found.friends),
        *((one.nametag, "asks you", look.ago(one.at), "") for one in found.incoming),
        *((one.nametag, "asked by you", look.ago(one.at), "") for one in found.outgoing),
        *((nametag, "blocked", "", "") for nametag in found.blocked),
    ]
    if rows:
        look.table("nametag", "what", "since", "name", rows=rows)
    else:
        look.say("Nobody yet. `kithkin friend add NAMETAG` asks somebody.")
