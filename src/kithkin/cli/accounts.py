"""Commands about accounts, agents and their inboxes."""

from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Command, Group

if TYPE_CHECKING:
    from kithkin.accounts.agents import Delivered
    from kithkin.accounts.model import Account, Agent
    from kithkin.api.owner import Admin

ACTS_AS = click.option(
    "--as", "acts_as", metavar="NAMETAG", required=True, help="Whose agent acts."
)
WHICH_AGENT = click.option("--agent", metavar="NAME", help="Which agent, if there are several.")


@click.group(cls=Group)
def account() -> None:
    """Say who uses this installation; each account has a nametag.

    \b
    Example:
      kithkin account create --name Sam
    """


@account.command()
@click.option("--name", required=True, help="What they are called.")
@click.option("--person", metavar="WHO", help="Somebody known already.")
@click.option("--speaker", metavar="CHANNEL:ID", help="Somebody who has written already.")
def create(name: str, person: str | None, speaker: str | None) -> None:
    """Make an account: for somebody known, for a speaker, or for somebody new.

    \b
    Example:
      kithkin account create --name Sam --speaker telegram:7
    """
    from kithkin.cli.person_tables import one

    with opened() as kin, administered() as admin:
        known = one(kin, person) if person else None
        made = admin.accounts.create(name, person=known, speaker=speaker)
    answer(made, lambda: _tell([made]))


@account.command("list")
def list_() -> None:
    """List the accounts.

    \b
    Example:
      kithkin account list
    """
    with administered() as admin:
        found = admin.accounts.list()
    answer(found, lambda: _tell(found))


@account.command()
@click.argument("nametag")
def show(nametag: str) -> None:
    """Show the account that has a nametag, or had it.

    \b
    Example:
      kithkin account show brave-otter-42
    """
    with administered() as admin:
        found = admin.accounts.show(nametag)
    answer(found, lambda: _tell([found]))


@account.command()
@click.argument("nametag")
@click.argument("new")
def nametag(nametag: str, new: str) -> None:
    """Give an account another nametag; the old one redirects.

    \b
    Example:
      kithkin account nametag brave-otter-42 clever-sam-11
    """
    with administered() as admin:
        found = admin.accounts.change_nametag(nametag, new)
    answer(found, lambda: _tell([found]))


def _tell(accounts: "list[Account]") -> None:
    from kithkin.cli import tables as look

    look.table(
        "nametag",
        "name",
        "person",
        "was",
        rows=(
            (one.nametag, one.name, look.short(one.person), ", ".join(one.former_nametags))
            for one in accounts
        ),
    )


@click.group(cls=Group)
def agents() -> None:
    """Say which programs act for whom.

    \b
    Example:
      kithkin agents register main --account brave-otter-42 --frontend
    """


@agents.command("list")
@click.option("--account", "nametag", metavar="NAMETAG", help="Of one account only.")
def agents_list(nametag: str | None) -> None:
    """List the agents.

    \b
    Example:
      kithkin agents list
    """
    with administered() as admin:
        found = admin.agents.list(nametag)
    answer(found, lambda: _tell_agents(found))


@agents.command()
@click.argument("name", default="main")
@click.option("--account", "nametag", metavar="NAMETAG", help="For whom it acts; you without it.")
@click.option("--frontend/--background", default=True, help="Whether it talks to the person.")
def register(name: str, nametag: str | None, frontend: bool) -> None:
    """Register a program that acts for an account; its id opens the realm as that agent.

    \b
    Examples:
      kithkin agents register
      kithkin agents register helper --account brave-otter-42 --background
    """
    with administered() as admin:
        nametag = nametag or admin.kin.inbox.whoami()[0].nametag
        made = admin.agents.register(nametag, name, "frontend" if frontend else "background")
    answer(made, lambda: _tell_agents([made]))


@agents.command()
@click.argument("agent")
def sleep(agent: str) -> None:
    """Put an agent to sleep: what comes meanwhile waits.

    \b
    Example:
      kithkin agents sleep entity_1f0c9a52
    """
    _set_awake(agent, awake=False)


@agents.command()
@click.argument("agent")
def wake(agent: str) -> None:
    """Wake an agent.

    \b
    Example:
      kithkin agents wake entity_1f0c9a52
    """
    _set_awake(agent, awake=True)


@agents.command("persona")
@click.argument("agent")
@click.argument("name", required=False)
def set_persona(agent: str, name: str | None) -> None:
    """Say in whose voice an agent speaks; without NAME, the steward's.

    \b
    Example:
      kithkin agents persona entity_1f0c9a52 Frodo
    """
    with administered() as admin:
        found = admin.agents.set_persona(admin.full_id(agent), name)
    answer(found, lambda: _tell_agents([found]))


def _set_awake(agent: str, *, awake: bool) -> None:
    with administered() as admin:
        found = admin.agents.set_awake(admin.full_id(agent), awake=awake)
    answer(found, lambda: _tell_agents([found]))


@agents.command()
@click.argument("entry")
@ACTS_AS
@WHICH_AGENT
def ack(entry: str, acts_as: str, agent: str | None) -> None:
    """Say that an agent has dealt with something in its inbox.

    \b
    Example:
      kithkin agents ack inbox_1f0c9a52 --as brave-otter-42
    """
    with administered() as admin:
        chosen = chosen_agent(admin, acts_as, agent)
    with opened(agent=chosen.id) as kin:
        waiting = [one.waiting.id for one in kin.inbox.list(limit=10_000)]
        found = [one for one in waiting if one.startswith(entry)]
        kin.inbox.ack(found[0] if len(found) == 1 else entry)
    answer({"acknowledged": entry}, lambda: click.echo("Done."))


def _tell_agents(agents: "list[Agent]") -> None:
    from kithkin.cli import tables as look

    look.table(
        "id",
        "name",
        "kind",
        "state",
        rows=((one.id, one.name, one.kind, "awake" if one.awake else "asleep") for one in agents),
    )


@click.command(cls=Command)
@ACTS_AS
@WHICH_AGENT
@click.option("--follow", is_flag=True, help="Wait for more until you press Ctrl-C.")
@click.option("--limit", default=100, show_default=True)
def inbox(acts_as: str, agent: str | None, follow: bool, limit: int) -> None:
    """Show what waits for an agent, in the order it came.

    \b
    Example:
      kithkin inbox --as brave-otter-42
    """
    import time

    with administered() as admin:
        chosen = chosen_agent(admin, acts_as, agent)
    with opened(agent=chosen.id) as kin:
        last = _print(kin.inbox.list(limit=limit), after=0)
        while follow:
            time.sleep(0.5)
            newer = kin.inbox.list(after=last, limit=limit)
            last = _print(newer, after=last) if newer else last


def _print(found: "list[Delivered]", *, after: int) -> int:
    answer([_entry(one) for one in found], lambda: _tell_inbox(found))
    return found[-1].waiting.seq if found else after


def chosen_agent(admin: "Admin", nametag: str, name: str | None) -> "Agent":
    """The agent of an account that is named, else its first frontend agent."""
    from kithkin.errors import NotFound

    found = [one for one in admin.agents.list(nametag) if name in (None, one.name)]
    frontend = [one for one in found if one.kind == "frontend" or name]
    if not frontend:
        raise NotFound(
            f"{nametag} has no such agent: `kithkin agents register --account {nametag}` adds one."
        )
    return frontend[0]


def _entry(one: "Delivered") -> dict[str, Any]:
    from kithkin.soil.content import wire_of

    return {
        "id": one.waiting.id,
        "seq": one.waiting.seq,
        "posted_at": one.waiting.posted_at,
        "text": one.text,
        "item": wire_of(one.item),
    }


def _tell_inbox(found: "list[Delivered]") -> None:
    from kithkin.cli import tables as look

    if not found:
        look.say("Nothing waits.")
        return
    for one in found:
        look.say(f"{one.waiting.id[:14]}  {look.ago(one.waiting.posted_at)}")
        look.say(_indented(one))


def _indented(one: "Delivered") -> str:
    from kithkin.cli import tables as look

    lines = (one.text or look.said(one.item)).splitlines()
    return "\n".join(f"  {look.visible(line)}" for line in lines)
