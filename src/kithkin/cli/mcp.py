"""The command that serves MCP to one client, and prints how to tell the client."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import administered, answer, chosen, models_of
from kithkin.cli.root import Command
from kithkin.cli.speaker_options import AS, spoken_by

if TYPE_CHECKING:
    from kithkin.api.kithkin import Kithkin
    from kithkin.mcp.clients import Program

_NAMES = ("claude", "claude-code", "cursor", "vscode", "windsurf", "zed", "gemini", "codex")
_PASSED_ON = ("KITHKIN_CONFIG", "KITHKIN_MODEL", "KITHKIN_MODEL_URL", "KITHKIN_EMBEDDER")
_TOKEN = "KITHKIN_TOKEN"  # noqa: S105 - where one is found


@click.command(cls=Command)
@click.option("--agent", metavar="ID", help="The registered agent it is; else it works for you.")
@AS
@click.option("--url", metavar="URL", help="A server that has the realm; else it is opened here.")
@click.option("--token", metavar="TOKEN", envvar=_TOKEN, help=f"An agent's there; or {_TOKEN}.")
@click.option(
    "--tools",
    "wanted",
    metavar="NAMES",
    default="default",
    help="default, all, or names such as recall,remember.",
)
@click.option("--list-tools", is_flag=True, help="List the tools and stop.")
@click.option("--print-config", is_flag=True, help="Print the client's configuration and stop.")
@click.option("--client", type=click.Choice(_NAMES), default="claude", help="Whose configuration.")
def mcp(*, list_tools: bool, print_config: bool, client: str, wanted: str, **who: Any) -> None:
    """Let an MCP client use this realm, or set one up.

    It speaks over its standard streams. Without --agent it works for you, and speaks as whoever
    is at this terminal.

    \b
    Examples:
      kithkin mcp --print-config --client cursor
      kithkin mcp --agent entity_5f0c --tools all
      kithkin mcp --url https://kin.example.com
    """
    if who["url"] and who["agent"]:
        raise click.UsageError("A server knows the agent by its token: leave --agent out.")
    if print_config:
        _print(client, wanted, **who)
        return
    _require_library()
    if list_tools:
        _list(wanted)
        return
    _serve(wanted, **who)


def _serve(
    wanted: str, *, agent: str | None, speaker: str | None, url: str | None, token: str | None
) -> None:
    from kithkin.mcp.caller import caller
    from kithkin.mcp.stdio import serve
    from kithkin.mcp.tool_selection import chosen_tools

    tools = chosen_tools(wanted)
    speaks_as = speaker if agent or url else spoken_by(speaker)
    if sys.stdin.isatty():
        click.echo("An MCP client speaks here; `kithkin mcp --print-config` sets one up.", err=True)
    with _elsewhere(url, token) if url else _for_agents(agent) as kin:
        serve(caller(kin, speaker=speaks_as), tools)


def _for_agents(agent: str | None) -> "Kithkin":
    """The realm as agents see it: a client has never the owner's eyes."""
    from kithkin.api.kithkin import Kithkin

    where = chosen()
    if agent:
        with administered(create=True) as admin:
            begun = [one.id for one in admin.agents.list() if one.id.startswith(agent)]
        agent = begun[0] if len(begun) == 1 else agent
    return Kithkin.open(
        where.where, realm=where.realm, agent=agent, actor="mcp", models=models_of(where)
    )


def _elsewhere(url: str, token: str | None) -> "Kithkin":
    from kithkin.api.kithkin import Kithkin

    if not token:
        raise click.UsageError(
            f"Give an agent's token in {_TOKEN}: `kithkin tokens create` makes one there."
        )
    return Kithkin.connect(url, token=token)


def _list(wanted: str) -> None:
    from kithkin.cli import tables as look
    from kithkin.mcp.tool_selection import chosen_tools

    found = [tool.described for tool in chosen_tools(wanted).values()]
    told = [{"name": one.name, "description": one.description} for one in found]
    rows = [(one.name, (one.description or "").partition("\n")[0]) for one in found]
    answer(told, lambda: look.table("tool", "what it does", rows=rows))


def _require_library() -> None:
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise click.ClickException("MCP is not installed here: pip install 'kithkin[mcp]' adds it.")


def _print(client: str, wanted: str, *, url: str | None, token: str | None, **who: Any) -> None:
    from kithkin.mcp.clients import CLIENTS, NO_TOKEN, configuration

    found = CLIENTS[client]
    given = (("--agent", who["agent"]), ("--as", who["speaker"]), ("--url", url))
    options = [word for option, value in given if value for word in (option, value)]
    options += ["--tools", wanted] if wanted != "default" else []
    env = {_TOKEN: token or NO_TOKEN} if url else _place()
    click.echo(f"For {found.title}, in {found.place}:", err=True)
    click.echo(configuration(found, _program(options, env), url=url, token=token, tools=wanted))


def _program(options: list[str], env: dict[str, str]) -> "Program":
    """This very program, wherever the client starts it from."""
    from kithkin.mcp.clients import Program

    return Program(sys.executable, ("-m", "kithkin", "mcp", *options), env)


def _place() -> dict[str, str]:
    """Where the realm is, and what else of this environment it is used with."""
    where = chosen()
    passed_on = {name: os.environ[name] for name in _PASSED_ON if os.environ.get(name)}
    if where.db is None:
        return {"KITHKIN_HOME": str(where.home.absolute()), **passed_on}
    return {"KITHKIN_DB": where.db, "KITHKIN_REALM": where.realm, **passed_on}
