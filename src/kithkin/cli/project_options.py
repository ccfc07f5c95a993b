"""What several commands of projects are given: who acts, where, and texts from files or lines."""

import sys
from pathlib import Path
from typing import Any

import click

PROJECT = click.option("--project", metavar="NAME", help="Which project, where there are several.")
AS = click.option("--as", "actor", metavar="PARTICIPANT", help="Who does it; the owner, if unsaid.")
BECAUSE = click.option("--because-of", metavar="ITEM", help="The message or tool call behind it.")
REASON = click.option("--reason", help="Why.")
FILE = click.argument(
    "file", required=False, type=click.Path(dir_okay=False, allow_dash=True, path_type=Path)
)
LINES = click.option("--line", "lines", multiple=True, help="A line of the text; say it again.")


def text(file: Path | None, lines: tuple[str, ...], *, needed: bool = True) -> str:
    """The text of a file, of standard input (`-`) or of the lines that were given."""
    if lines:
        return "".join(f"{line}\n" for line in lines)
    if file is None:
        if needed:
            raise click.UsageError("Give the text: a FILE, - for standard input, or --line.")
        return ""
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return raw.decode()
    except FileNotFoundError as error:
        raise click.BadParameter(f"There is no file {file}.") from error
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"{file} is no text in UTF-8.") from error


def pairs(_context: Any, _option: Any, given: tuple[str, ...]) -> dict[str, str]:
    """`^a7f=words`, as often as it is said."""
    found = {}
    for one in given:
        name, mark, words = one.partition("=")
        if not mark:
            raise click.BadParameter(f"{one!r}: write ^a7f=words.")
        found[name] = words
    return found
