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


PAGES = [
    "README.md",
    "docs/quickstart.md",
    "docs/people.md",
    "docs/contacts.md",
    "docs/memories.md",
    "docs/friends.md",
    "docs/projects.md",
    "docs/personas.md",
    "docs/mcp.md",
    *sorted(f"docs/howto/{page.name}" for page in (ROOT / "docs" / "howto").glob("*.md")),
]


def blocks(page: str, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall((ROOT / page).read_text()) if kind == language]


@pytest.mark.parametrize(
    "code",
    [code for page in PAGES for code in blocks(page, "python")],
)
def test_the_python_of_the_pages_runs(
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

    def type(self, line: str, *, refused: bool = False) -> str:
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
        assert ended.returncode == int(refused), f"{line}\n{ended.stderr}"
        self._copy(ended.stdout)
        return ended.stderr if refused else ended.stdout

    def _copy(self, answer: str) -> None:
        if not answer.startswith(("{", "[{", "[\n")):
            return
        read = json.loads(answer)
        fields = read[0] if isinstance(read, list) else read
        self._last["LAST_ID"] = fields.get("id", "")
        self._last["LAST_NAMETAG"] = fields.get("nametag") or self._last.get("LAST_NAMETAG", "")
        uuid = fields.get("uuid", "")
        self._last["LAST_" + ("ITEM" if uuid.startswith("item_") else "ENTITY")] = uuid


def expected(line: str) -> str:
    return r"\s*".join(map(re.escape, line.split())).replace(r"\.\.\.", ".*?")


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_answers_as_written(page: str, tmp_path: Path) -> None:
    (tmp_path / "people-of-before.jsonl").write_text(
        '{"id":"old-1","version":1,"owner_user_id":"user-1","name":"Bob",'
        '"relationship":"friend","aliases":["bobby"]}\n'
    )
    (tmp_path / "old.env").write_text("USER_EMAIL_PASSWORD=hunter2\nOPENAI_API_KEY=x\n")
    (tmp_path / "contacts.json").write_text(
        '[{"name": "Sarah Jane", "roles": ["family"], "contact_info":'
        ' [{"type": "email", "value": "sarah@example.com"}]}]'
    )
    terminal = Terminal(tmp_path)
    commands = 0
    for block in blocks(page, "console"):
        for part in block.split("$ ")[1:]:
            command, _, answer = part.partition("\n")
            said = terminal.type(command, refused=answer.startswith("kithkin: "))
            at = 0
            for line in answer.strip().splitlines():
                found = re.compile(expected(line), re.DOTALL).search(said, at)
                assert found, f"{command}: {line}\n{said[at:]}"
                at = found.end()
            commands += 1
    assert commands or not blocks(page, "console")
