"""A file's history in git becomes an artifact's deltas: author, time, message, every byte."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.artifacts.ops import content_of
from kithkin.errors import InvalidInput


class Repository:
    """A git repository that a script writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words: str, **environment: str) -> bytes:
        given = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **environment}
        return subprocess.run(
            ["git", "-c", "core.autocrlf=false", *words],  # noqa: S607 - whichever there is
            cwd=self.folder,
            env={**os.environ, **given},
            check=True,
            capture_output=True,
        ).stdout

    def commit(self, number: int, content: bytes, *, name: str = "doc.txt") -> None:
        (self.folder / name).write_bytes(content)
        self.git("add", "-A")
        person = {"NAME": f"Person {number % 3}", "EMAIL": f"p{number % 3}@example.com"}
        at = f"2026-01-{1 + number // 24 % 28:02}T{number % 24:02}:00:00+00:00"
        signed = {
            f"GIT_{who}_{key}": v for who in ("AUTHOR", "COMMITTER") for key, v in person.items()
        }
        dated = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        self.git(
            "commit", "-q", "--allow-empty", "-m", f"Change {number}\n\nbody ö", **signed, **dated
        )

    def blobs(self, name: str = "doc.txt") -> list[bytes]:
        """The file's content at each commit that changed it, oldest first."""
        log = self.git("log", "--reverse", "--format=%H", "--", name).decode().split()
        return [self.git("show", f"{commit}:{name}") for commit in log]


def texts(kin: Kithkin, label: str) -> list[bytes]:
    return [
        content_of(kin.artifacts.show(f"{label}@{one.commit}").text).encode()
        for one in reversed(kin.artifacts.log(label))
    ]


def edited(lines: list[str], chance: random.Random) -> list[str]:
    after = [*lines]
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(after) + 1)
        match chance.randrange(4):
            case 0 if after:
                after.pop(min(at, len(after) - 1))
            case 1 if after:
                after.insert(at, after.pop(min(at, len(after) - 1)))
            case 2 if after:
                after[min(at, len(after) - 1)] = f"changed {chance.random()}"
            case _:
                after.insert(at, chance.choice(["", "ünï", f"new {chance.random()}", "same"]))
    return after


def test_author_time_and_message_come_along(kin: Kithkin, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(1, b"a\n")
    repository.commit(5, b"a\nb\n")
    kin.projects.create("Website")
    kin.artifacts.bring_from_git("doc", repository.folder, "doc.txt")
    newest, oldest = kin.artifacts.log("doc")
    assert (oldest.actor, oldest.reason) == ("Person 1 <p1@example.com>", "Change 1\n\nbody ö")
    assert newest.at.startswith("2026-01-01T05:00:00")
    assert [one.actor for one in kin.artifacts.blame("doc")] == [oldest.actor, newest.actor]


def test_a_renamed_file_brings_its_past(kin: Kithkin, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(1, b"a\nb\nc\nd\n")
    repository.git("mv", "doc.txt", "ren amed.txt")
    repository.commit(2, b"a\nb\nc\nd\n", name="ren amed.txt")
    repository.commit(3, b"a\nb\nc\nd\ne", name="ren amed.txt")
    kin.projects.create("Website")
    kin.artifacts.bring_from_git("doc", repository.folder, "ren amed.txt")
    assert texts(kin, "doc") == [b"a\nb\nc\nd\n", b"a\nb\nc\nd\ne"]


def test_a_file_that_was_deleted_and_came_back_has_both_lives(kin: Kithkin, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(1, b"a\n")
    repository.git("rm", "-q", "doc.txt")
    repository.git("commit", "-q", "-m", "gone", GIT_AUTHOR_NAME="x", GIT_AUTHOR_EMAIL="x@x",
                   GIT_COMMITTER_NAME="x", GIT_COMMITTER_EMAIL="x@x")  # fmt: skip
    repository.commit(3, b"b\n")
    kin.projects.create("Website")
    kin.artifacts.bring_from_git("doc", repository.folder, "doc.txt")
    assert texts(kin, "doc") == [b"a\n", b"b\n"]


def test_what_cannot_be_brought_in_is_said(kin: Kithkin, tmp_path: Path) -> None:
    kin.projects.create("Website")
    with pytest.raises(InvalidInput, match="git cannot read"):
        kin.artifacts.bring_from_git("doc", tmp_path, "doc.txt")
    repository = Repository(tmp_path / "repository")
    repository.commit(1, b"\xff\xfe\x00binary")
    with pytest.raises(InvalidInput, match="knows no file"):
        kin.artifacts.bring_from_git("doc", repository.folder, "other.txt")
    with pytest.raises(InvalidInput, match="UTF-8"):
        kin.artifacts.bring_from_git("doc", repository.folder, "doc.txt")
    assert kin.projects.show().artifacts == ()
