"""The tree of commands, each loaded when it is called, and how a run ends."""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from kithkin.errors import KithkinError

Place = tuple[str, str]
"""The module and name of a command."""

COMMANDS: Final[Mapping[str, tuple[Place, str]]] = {
    "init": (("kithkin.cli.upkeep", "init"), "Make a realm, or bring an older one up to date."),
    "demo": (
        ("kithkin.cli.demo", "demo"),
        "Tell a household's story on a realm that is thrown away.",
    ),
    "chat": (("kithkin.cli.chat", "chat"), "Say something; what is known answers."),
    "memory": (("kithkin.cli.memory", "memory"), "See, search, change and forget what is known."),
    "context": (("kithkin.cli.memory", "context"), "Print what a prompt may be told."),
    "why": (("kithkin.cli.why", "why"), "Show why something is believed or happened."),
    "people": (("kithkin.cli.people", "people"), "Say who is meant, and keep one record for each."),
    "owner": (
        ("kithkin.cli.contacts", "owner"),
        "Say who this installation belongs to and where they are reached.",
    ),
    "contacts": (
        ("kithkin.cli.contacts", "contacts"),
        "Keep the address book: who is reached where, and who an unknown sender is.",
    ),
    "account": (
        ("kithkin.cli.accounts", "account"),
        "Say who uses this installation; each account has a nametag.",
    ),
    "agents": (("kithkin.cli.accounts", "agents"), "Say which programs act for whom."),
    "tokens": (
        ("kithkin.cli.tokens", "tokens"),
        "Let agents and connectors in from outside; see and stop them.",
    ),
    "serve": (("kithkin.cli.serve", "serve"), "Serve the realm to agents, connectors and you."),
    "call": (("kithkin.cli.call", "call"), "Use any verb by its name; without one, list them."),
    "webhooks": (
        ("kithkin.cli.webhooks", "webhooks"),
        "Tell web addresses of changes, signed and in order.",
    ),
    "receive": (("kithkin.cli.outbound", "receive"), "Take a message in, as a connector does."),
    "inbox": (
        ("kithkin.cli.accounts", "inbox"),
        "Show what waits for an agent, in the order it came.",
    ),
    "friend": (
        ("kithkin.cli.friends", "friend"),
        "Ask other accounts to be friends, and write to friends.",
    ),
    "notify": (
        ("kithkin.cli.outbound", "notify"),
        "Tell a contact, an address, or with neither the owner.",
    ),
    "act": (
        ("kithkin.cli.outbound", "act"),
        "Use a tool that sends something out: at once, or once you have agreed.",
    ),
    "questions": (
        ("kithkin.cli.questions", "questions"),
        "See what waits for your word, and give it.",
    ),
    "persona": (("kithkin.cli.persona", "persona"), "Keep the voices an agent speaks in."),
    "profile": (
        ("kithkin.cli.profile", "profile"),
        "See and set what is known of a human, and say what is real.",
    ),
    "doubts": (
        ("kithkin.cli.doubts", "doubts"),
        "Say whether what a persona was told was real, or just role-play.",
    ),
    "rules": (
        ("kithkin.cli.outbound", "rules"),
        "Keep your standing word on what may leave without asking.",
    ),
    "outbox": (("kithkin.cli.outbound", "outbox"), "See what was approved and what came of it."),
    "credentials": (
        ("kithkin.cli.credentials", "credentials"),
        "Keep secrets: sealed on disk, masked everywhere, shown to you alone.",
    ),
    "mcp": (("kithkin.cli.mcp", "mcp"), "Let an MCP client use this realm, or set one up."),
    "project": (("kithkin.cli.project", "project"), "Keep what is worked on together."),
    "branch": (("kithkin.cli.branch", "branch"), "Talk within a project, in branches."),
    "artifact": (("kithkin.cli.artifact", "artifact"), "Write documents with their whole past."),
    "refs": (("kithkin.cli.refs", "refs"), "Follow references, in either direction."),
    "read": (("kithkin.cli.reader", "read"), "Read artifacts so that others can follow."),
    "follow": (("kithkin.cli.reader", "follow"), "Watch what a participant does, live."),
    "retrace": (
        ("kithkin.cli.reader", "retrace"),
        "Tell the story around an item, from what started it.",
    ),
    "note": (("kithkin.cli.timeline", "note"), "Write something down."),
    "record": (("kithkin.cli.timeline", "record"), "Record an item of any type, given as JSON."),
    "undo": (("kithkin.cli.timeline", "undo"), "Take back an item within five minutes."),
    "correct": (("kithkin.cli.timeline", "correct"), "Believe something else about an item."),
    "timeline": (("kithkin.cli.timeline", "timeline"), "Show what happened, newest first."),
    "show": (("kithkin.cli.timeline", "show"), "Show one item and what it is connected with."),
    "entity": (("kithkin.cli.entity", "entity"), "Look at beliefs, their past, and change them."),
    "relate": (("kithkin.cli.relations", "relate"), "Join two things."),
    "unrelate": (("kithkin.cli.relations", "unrelate"), "Take a connection back."),
    "trace": (("kithkin.cli.relations", "trace"), "Show what caused something and what it caused."),
    "changes": (("kithkin.cli.timeline", "changes"), "Show what changed since a cursor."),
    "verify": (("kithkin.cli.upkeep", "verify"), "Prove that nothing was altered."),
    "rebuild": (
        ("kithkin.cli.upkeep", "rebuild"),
        "Compute every belief anew from what happened.",
    ),
    "head": (("kithkin.cli.upkeep", "head"), "Print the end of the ledger, to keep elsewhere."),
    "sweep": (("kithkin.cli.upkeep", "sweep"), "Let what nobody comes back to rest."),
    "erase": (("kithkin.cli.upkeep", "erase"), "Erase words for good; the hashes stay."),
    "backup": (("kithkin.cli.upkeep", "backup"), "Copy the realm to a file while it is in use."),
    "restore": (("kithkin.cli.upkeep", "restore"), "Make the realm what a backup says."),
    "export": (("kithkin.cli.upkeep", "export"), "Write the timeline as a database of its own."),
    "doctor": (("kithkin.cli.upkeep", "doctor"), "Say how the realm is and what to do."),
}

EPILOG: Final = """\b
Examples:
  kithkin chat "My wife Sarah likes hiking"
  kithkin chat "Tell me about my wife"
  kithkin note "Called the plumber"
  kithkin verify

The realm is the folder ~/.kithkin unless --home, --db or the environment (KITHKIN_HOME,
KITHKIN_DB, KITHKIN_REALM) says otherwise."""


def _remember(context: click.Context, option: click.Parameter, value: Any) -> None:
    if value:
        context.find_root().ensure_object(dict)[option.name] = value


def _shared() -> list[click.Parameter]:
    def option(*names: str, **more: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_remember, **more)

    return [
        option("--home", metavar="FOLDER", help="The realm's folder."),
        option("--db", metavar="URL", help="A PostgreSQL address instead of a folder."),
        option("--realm", metavar="NAME", help="The schema on PostgreSQL."),
        option("--json", is_flag=True, help="Print JSON for a program to read."),
    ]


_WHO = frozenset(("speaker", "actor", "acts_as", "nametag", "account", "persona", "agent", "chat"))
"""Options that say who it is about."""


class Command(click.Command):
    """A command that takes the shared options after its name as well as before it."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.extend(_shared())

    def invoke(self, context: click.Context) -> Any:
        """Refuse who is named by nothing: an unset variable is not the owner."""
        for option in self.params:
            given = context.params.get(option.name or "")
            if option.name in _WHO and isinstance(given, str) and not given.strip():
                raise click.UsageError(f"{option.opts[0]} is empty: say who, or leave it out.")
        return super().invoke(context)


class Group(click.Group):
    """A group of such commands."""

    command_class = Command

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.extend(_shared())


class Root(Group):
    """The commands of the first level, by name, before any of them is loaded."""

    def list_commands(self, _context: click.Context) -> list[str]:
        """The names, in the order a reader meets them."""
        return list(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Load a command."""
        if name not in COMMANDS:
            return None
        (module, attribute), _ = COMMANDS[name]
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; one that is not there is answered with those spelt alike."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            from difflib import get_close_matches

            if near := get_close_matches(arguments[0], COMMANDS):
                raise click.UsageError(
                    f"{error.message} Did you mean {' or '.join(map(repr, near))}?", context
                ) from error
            raise

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.version_option(package_name="kithkin", message="%(package)s %(version)s")
@click.group(cls=Root, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
def kithkin() -> None:
    """Who everyone is, what is known about them and who said so, and why anything happened."""


def run(arguments: list[str]) -> int:
    """Run one command: 0 when it was done, 1 when it was refused or found broken, 2 for misuse."""
    try:
        result = kithkin.main(arguments, prog_name="kithkin", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        sys.stderr.write("Stopped.\n")
        return 1
    except KithkinError as error:
        _complain(error, as_json="--json" in arguments)
        return 1
    return result if isinstance(result, int) else 0


def _complain(error: KithkinError, *, as_json: bool) -> None:
    if as_json:
        import json

        told = {"error": error.code, "message": str(error), **error.details}
        sys.stderr.write(json.dumps(told, ensure_ascii=False) + "\n")
    else:
        click.secho(f"kithkin: {error}", fg="red", err=True)
