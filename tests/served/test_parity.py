"""Every verb in every surface: the same story ends the same, whoever tells it."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click
import pytest

from kithkin import Admin, Kithkin
from kithkin.api.connector import VERBS as CONNECTOR_VERBS
from kithkin.cli.root import kithkin as root
from kithkin.db import Database
from kithkin.verbs.agent_verbs import AT_HOME, VERBS
from kithkin.verbs.owner_verbs import VERBS as ADMIN_VERBS
from tests.conftest import Run
from tests.served.conftest import CONFIG, serving
from tests.served.in_terminal import IN_TERMINAL
from tests.served.stories import PASSWORD, agents_story, owners_story, prepared, receive
from tests.served.tellers import Terminal, Tools

Given = list[tuple[str, str]]
Opened = Callable[[Path], AbstractContextManager[tuple[Kithkin, str]]]
Administered = Callable[[Path], AbstractContextManager[Admin]]


def _home(folder: Path) -> Path:
    home = folder / "realm"
    home.mkdir(parents=True)
    (home / "config.toml").write_text('[connectors.telegram]\nchannels = ["telegram"]\n')
    return home


@contextmanager
def in_python(folder: Path) -> Iterator[tuple[Kithkin, str]]:
    home = _home(folder)
    with Admin.open(home) as admin:
        friend, agent, _ = prepared(admin)
    with Kithkin.open(home, agent=agent) as kin:
        yield kin, friend


@contextmanager
def over_rest(folder: Path) -> Iterator[tuple[Kithkin, str]]:
    with Database.open(folder / "served") as db, serving(db, config=CONFIG) as served:
        friend, _, token = prepared(served.admin)
        with Kithkin.connect(served.url, token=token) as kin:
            yield kin, friend


@contextmanager
def through_mcp(folder: Path) -> Iterator[tuple[Kithkin, str]]:
    with in_python(folder) as (kin, friend), Tools.of(kin) as tools:
        yield Kithkin.afar(tools), friend


@contextmanager
def at_the_terminal(folder: Path) -> Iterator[tuple[Kithkin, str]]:
    home = _home(folder)
    with Admin.open(home) as admin:
        friend, agent, _ = prepared(admin)
    yield Kithkin.afar(Terminal(home, agent=agent)), friend


@pytest.fixture(scope="module")
def agents_own(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """What an agent's verbs give in Python."""
    folder = tmp_path_factory.mktemp("python")
    with in_python(folder) as (kin, friend):
        return agents_story(kin, friend, folder)


def test_the_agents_story_tells_every_verb(agents_own: Given) -> None:
    told = {name for name, _ in agents_own}
    assert told >= {verb.name for verb in VERBS}
    assert set(AT_HOME) & told == {"timeline.record"}
    assert len(_refused(agents_own)) < 10


def _refused(told: Given) -> set[str]:
    return {name for name, given in told if re.match("[a-z_]+: ", given)}


@pytest.mark.parametrize("surface", [over_rest, through_mcp, at_the_terminal])
def test_an_agents_story_ends_the_same_in(
    surface: Opened, agents_own: Given, tmp_path: Path
) -> None:
    with surface(tmp_path) as (kin, friend):
        told = agents_story(kin, friend, tmp_path)
    for one, other in zip(agents_own, told, strict=True):
        assert other == one


def _commands(command: click.Command, path: str) -> Iterator[str]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _commands(child, f"{path} {name}".strip())


@pytest.mark.parametrize("name", [verb.name for verb in (*VERBS, *CONNECTOR_VERBS, *ADMIN_VERBS)])
def test_every_verb_has_its_command(name: str) -> None:
    assert IN_TERMINAL[name] in set(_commands(root, ""))


@contextmanager
def administered_in_python(folder: Path) -> Iterator[Admin]:
    with Admin.open(_home(folder)) as admin:
        _prepared_for_owner(admin)
        yield admin


@contextmanager
def administered_over_rest(folder: Path) -> Iterator[Admin]:
    with Database.open(folder / "served") as db, serving(db, home=folder / "served") as served:
        _prepared_for_owner(served.admin)
        with Admin.connect(served.url, password=PASSWORD) as admin:
            yield admin


@contextmanager
def administered_at_the_terminal(folder: Path) -> Iterator[Admin]:
    home = _home(folder)
    with Admin.open(home) as admin:
        _prepared_for_owner(admin)
    yield Admin.afar(Terminal(home))


def _prepared_for_owner(admin: Admin) -> None:
    prepared(admin)
    receive(admin, "77", "Hello, who is this?", "2")
    admin.owner.set_password(PASSWORD)


@pytest.fixture(scope="module")
def owners_own(tmp_path_factory: pytest.TempPathFactory) -> Given:
    """What the owner's verbs give in Python."""
    folder = tmp_path_factory.mktemp("python")
    with administered_in_python(folder) as admin:
        return owners_story(admin, folder)


def test_the_owners_story_tells_every_verb(owners_own: Given) -> None:
    assert {f"admin.{name}" for name, _ in owners_own} >= {verb.name for verb in ADMIN_VERBS}
    assert _refused(owners_own) == {
        "personas.archive",
        "webhooks.retry",
        "doubts.answer",
        "restore",
    }


@pytest.mark.parametrize("surface", [administered_over_rest, administered_at_the_terminal])
def test_the_owners_story_ends_the_same_in(
    surface: Administered, owners_own: Given, tmp_path: Path
) -> None:
    with surface(tmp_path) as admin:
        told = owners_story(admin, tmp_path)
    for one, other in zip(owners_own, told, strict=True):
        assert other == one


def test_any_verb_can_be_called_from_the_terminal(run: Run) -> None:
    listed = json.loads(run("call", "--json").stdout)
    assert set(listed) == {verb.name for verb in (*VERBS, *ADMIN_VERBS)}
    made = run("call", "entities.add", "type_name=service", 'data={"name": "Rossi"}')
    uuid = json.loads(made.stdout)["uuid"]
    shown = json.loads(run("call", "entities.show", f"entity={uuid}").stdout)
    assert shown == json.loads(made.stdout)
    page = json.loads(run("call", "timeline.list", "limit=1").stdout)
    assert len(page["items"]) <= 1
    owner = json.loads(run("call", "admin.accounts.list").stdout)
    assert owner[0]["name"] == "Owner"
    wrong = run("call", "entities.at", f"entity={uuid}", "when=soon")
    assert wrong.returncode == 1
    assert "entities.at does not take this" in wrong.stderr
    assert run("call", "nothing.at.all").returncode == 2
