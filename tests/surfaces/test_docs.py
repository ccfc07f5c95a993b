"""What the pages promise is what happens."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall((ROOT / page).read_text()) if kind == language]


@pytest.mark.parametrize("code", blocks("README.md", "python"))
def test_the_python_of_the_readme_runs(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own page
    assert (tmp_path / "realm" / "kithkin.db").exists()


class Terminal:
    """A person who types what the page says, and copies ids from one answer to the next command."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: dict[str, str] = {}

    def type(self, line: str) -> str:
        words = [self._last.get(word, word) for word in shlex.split(line)]
        assert words[0] == "kithkin"
        ended = subprocess.run(
            [sys.executable, "-m", "kithkin", *words[1:]],
            cwd=self._folder,
            env={**os.environ, "KITHKIN_HOME": str(self._folder / "home")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"
        self._copy(ended.stdout)
        return ended.stdout

    def _copy(self, answer: str) -> None:
        if not answer.startswith("{"):
            return
        uuid = json.loads(answer).get("uuid", "")
        self._last["LAST_" + ("ITEM" if uuid.startswith("item_") else "ENTITY")] = uuid


def expected(line: str) -> str:
    return r"\s*".join(map(re.escape, line.split())).replace(r"\.\.\.", ".*")


@pytest.mark.parametrize("page", ["docs/quickstart.md", "docs/people.md", "docs/memories.md"])
def test_every_command_of_a_page_answers_as_written(page: str, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    commands = 0
    for block in blocks(page, "console"):
        for part in block.split("$ ")[1:]:
            command, _, answer = part.partition("\n")
            said = terminal.type(command)
            pattern = ".*".join(expected(line) for line in answer.strip().splitlines())
            assert re.search(pattern, said, re.DOTALL), f"{command}\n{said}"
            commands += 1
    assert commands >= 10
