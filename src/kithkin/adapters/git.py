"""A text file's history, read from a git repository."""

import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from kithkin.errors import InvalidInput
from kithkin.ports import PastVersion

_FORMAT: Final = "%x00%H%x01%an <%ae>%x01%aI%x01%B%x01"
_MARK: Final = "\x01"


def file_history(repository: Path, file: str) -> list[PastVersion]:
    """Every version of a text file, oldest first, through renames: author, time and message."""
    log = _git(
        repository, "log", "--follow", "--name-only", "-z", f"--format={_FORMAT}", "--", file
    )
    found = list(_read_log(log))
    if not found:
        raise InvalidInput(f"{repository} knows no file {file}. Name it as `git ls-files` does.")
    contents = _contents(repository, [f"{commit}:{path}" for commit, path, _ in found])
    return [
        PastVersion(content=content, author=author, at=at, message=message)
        for (_, _, (author, at, message)), content in zip(
            reversed(found), reversed(contents), strict=True
        )
        if content is not None
    ]


def _read_log(log: bytes) -> Iterator[tuple[str, str, tuple[str, datetime, str]]]:
    """Each commit with the name of the file in it. A commit without a name did not touch it."""
    head = ""
    for part in log.decode("utf-8", "replace").split("\x00"):
        if _MARK in part:
            head = part
        elif part.strip("\n") and head:
            commit, author, at, message = head.split(_MARK, 3)
            words = message.removesuffix(_MARK).strip()
            yield commit, part.strip("\n"), (author, datetime.fromisoformat(at), words)
            head = ""


def _contents(repository: Path, names: list[str]) -> list[str | None]:
    """The texts of blobs; None for one that is not there, as in the commit that removed a file."""
    if any("\n" in name for name in names):
        raise InvalidInput("The file's name holds a line end: rename it before bringing it in.")
    out = _git(repository, "cat-file", "--batch", given="\n".join(names).encode() + b"\n")
    found: list[str | None] = []
    at = 0
    for name in names:
        end = out.index(b"\n", at)
        words = out[at:end].split()
        if words[-1] == b"missing":
            found.append(None)
            at = end + 1
            continue
        size = int(words[-1])
        found.append(_text(out[end + 1 : end + 1 + size], name))
        at = end + 2 + size
    return found


def _text(blob: bytes, name: str) -> str:
    try:
        return blob.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name} is no text in UTF-8: only texts can be brought in.") from error


def _git(repository: Path, *arguments: str, given: bytes | None = None) -> bytes:
    try:
        ended = subprocess.run(  # noqa: S603 - fixed words, and a path after --
            ["git", "-C", str(repository), *arguments],  # noqa: S607 - whichever git there is
            input=given,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise InvalidInput("There is no git on this machine: install it, and try again.") from error
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip()
        raise InvalidInput(f"git cannot read {repository}: {said}.")
    return ended.stdout
