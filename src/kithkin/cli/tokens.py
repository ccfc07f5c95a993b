"""Commands about tokens: by what programs come in from outside."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from kithkin.api.owner import Admin
    from kithkin.auth.model import NewToken, Token


@click.group(cls=Group)
def tokens() -> None:
    """Let agents and connectors in from outside; see and stop them.

    \b
    Examples:
      kithkin tokens create
      kithkin tokens create --account brave-otter-42 --background
      kithkin tokens create --connector telegram
    """


@tokens.command()
@click.option("--account", metavar="NAMETAG", help="For whom the agent acts; you without it.")
@click.option("--agent", metavar="NAME", default="main", show_default=True, help="Which agent.")
@click.option("--frontend/--background", default=True, help="Whether it talks to the person.")
@click.option("--persona", metavar="NAME", help="In whose voice a new agent speaks.")
@click.option("--connector", metavar="NAME", help="For a connector of config.toml instead.")
def create(
    account: str | None,
    agent: str,
    frontend: bool,
    persona: str | None,
    connector: str | None,
) -> None:
    """Make a token. Its secret is shown now, and never again.

    An agent that is not there yet is registered.

    \b
    Examples:
      kithkin tokens create
      kithkin tokens create --account brave-otter-42 --background
      kithkin tokens create --connector telegram
    """
    with administered() as admin:
        made = admin.tokens.create(
            account=account,
            agent=agent,
            kind="frontend" if frontend else "background",
            persona=persona,
            connector=connector,
        )
    answer(made, lambda: _tell_new(made))


@tokens.command("list")
def list_() -> None:
    """List the tokens, with when each was last used.

    \b
    Example:
      kithkin tokens list
    """
    with administered() as admin:
        found = admin.tokens.list()
        whose = _whose(admin)
    answer(found, lambda: _tell(found, whose))


@tokens.command()
@click.argument("token")
def revoke(token: str) -> None:
    """Let a token open nothing any more; name it by its id or by how it begins.

    \b
    Example:
      kithkin tokens revoke kith_3fK9aQ
    """
    with administered() as admin:
        named = [one.id for one in admin.tokens.list() if one.prefix == token]
        done = admin.tokens.revoke(named[0] if len(named) == 1 else token)
        whose = _whose(admin)
    answer(done, lambda: _tell([done], whose))


def _tell_new(made: "NewToken") -> None:
    from kithkin.cli import tables as look

    look.say(made.secret)
    click.echo("Keep it: it is not shown again.", err=True)


def _whose(admin: "Admin") -> dict[str | None, str]:
    """What the agents are called, by their ids."""
    tags = {account.id: account.nametag for account in admin.accounts.list()}
    return {
        agent.id: f"{agent.name} of {tags.get(agent.account, 'nobody')}"
        for agent in admin.agents.list()
    }


def _tell(found: "list[Token]", whose: "dict[str | None, str]") -> None:
    from kithkin.cli import tables as look

    look.table(
        "token",
        "of",
        "made",
        "last used",
        "state",
        rows=(
            (
                one.prefix,
                f"connector {one.connector}" if one.connector else whose.get(one.agent, "gone"),
                look.ago(one.created_at),
                look.ago(one.last_used_at) if one.last_used_at else "never",
                "revoked" if one.revoked_at else "good",
            )
            for one in found
        ),
    )
