"""The command that serves MCP to one client, and prints how to tell the client."""

import os
import sys
from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import answer, chosen, models_of, opened
from kithkin.cli.root import Command
from kithkin.cli.speaking import AS, spoken_by

if TYPE_CHECKING:
    from kithkin.app import Kithkin
    from kithkin.mcp.clients import Program

_NAMES = ("claude", "claude-code", "cursor", "vscode", "windsurf", "zed", "gemini", "codex")
_PASSED_ON = ("KITHKIN_CONFIG", "KITHKIN_MODEL", "KITHKIN_MODEL_URL", "KITHKIN_EMBEDDER")


@click.command(cls=Command)
@click.option("--agent", metavar="ID", help="The registered agent it is; else it works for you.")
@AS
@click.option(
    "--tools",
    "wanted",
    metavar="NAMES",
    default="default",
    help="default, all, or names such as recall,remember.",
)
@click.option("--list-tools", is_flag=True, help="List every tool there is and stop.")
@click.option("--print-config", is_flag=True, help="Print the client's configuration and stop.")
@click.option("--client", type=click.Choice(_NAMES), default="claude", help="Whose configuration.")
def mcp(
    agent: str | None,
    speaker: str | None,
    wanted: str,
    list_tools: bool,
    print_config: bool,
    client: str,
) -> None:
    """Let an MCP client use this realm, over its standard streams.

    Without --agent it works for you, and speaks as whoever is at this terminal.

    \b
    Example:
      kithkin mcp --print-config --client cursor
      kithkin mcp --agent entity_5f0c --tools all
    """
    if print_config:
        _print(client, _arguments(agent, speaker, wanted))
        return
    _require_library()
    if list_tools:
        _list(wanted)
        return
    from kithkin.mcp.caller import caller
    from kithkin.mcp.choosing import chosen_tools
    from kithkin.mcp.stdio import serve

    tools = chosen_tools(wanted)
    speaks_as = speaker if agent else _whoever_is_here(speaker)
    if sys.stdin.isatty():
        click.echo("An MCP client speaks here; `kithkin mcp --print-config` sets one up.", err=True)
    with _for_agents(agent) as kin:
        serve(caller(kin, speaker=speaks_as), tools)


def _for_agents(agent: str | None) -> "Kithkin":
    """The realm as agents see it: a client has never the owner's eyes."""
    from kithkin.app import Kithkin

    where = chosen()
    return Kithkin.open(
        where.where, realm=where.realm, agent=agent, actor="mcp", models=models_of(where)
    )


def _whoever_is_here(speaker: str | None) -> str:
    """Who starts it vouches for themselves; what the client then does is signed as its own."""
    with opened() as kin:
        return spoken_by(kin, speaker)


def _list(wanted: str) -> None:
    from kithkin.cli import show as look
    from kithkin.mcp.choosing import chosen_tools

    found = [tool.described for tool in chosen_tools(wanted).values()]
    told = [{"name": one.name, "description": one.description} for one in found]
    rows = [(one.name, (one.description or "").partition("\n")[0]) for one in found]
    answer(told, lambda: look.table("tool", "what it does", rows=rows))


def _require_library() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise click.ClickException("MCP is not installed here: pip install 'kithkin[mcp]' adds it.")


def _print(client: str, arguments: list[str]) -> None:
    from kithkin.mcp.clients import CLIENTS, configuration

    found = CLIENTS[client]
    click.echo(f"For {found.title}, in {found.place}:", err=True)
    click.echo(configuration(found, _program(arguments)))


def _program(arguments: list[str]) -> "Program":
    """This very program, wherever the client starts it from."""
    from kithkin.mcp.clients import Program

    env = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
    return Program(sys.executable, ("-m", "kithkin", "mcp", *arguments), {**_place(), **env})


def _place() -> dict[str, str]:
    where = chosen()
    if where.db is None:
        return {"KITHKIN_HOME": str(where.home.absolute())}
    return {"KITHKIN_DB": where.db, "KITHKIN_REALM": where.realm}


def _arguments(agent: str | None, speaker: str | None, wanted: str) -> list[str]:
    given = (("--agent", agent), ("--as", speaker), ("--tools", wanted))
    return [
        word for option, value in given if value and value != "default" for word in (option, value)
    ]
