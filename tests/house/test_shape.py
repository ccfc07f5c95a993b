"""The shape of the house: sizes, imports, where SQL may stand, what is documented."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import kithkin as package
from kithkin.cli.root import kithkin as root

SOURCE = Path(package.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
STORES = {
    "store.py",
    "timeline.py",
    "access.py",
    "notices.py",
    "inbox.py",
    "received.py",
    "webhook_store.py",
    "vault.py",
    "commits.py",
    "fts5.py",
    "postings.py",
    "vectors.py",
}
REFERENCE = SOURCE.parent.parent / "docs" / "reference"
SQL = re.compile(
    r"\b(SELECT .* FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE)\b", re.DOTALL
)


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def name_of(module: Path) -> str:
    return str(module.relative_to(SOURCE))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_module_has_one_room(module: Path) -> None:
    assert len(module.read_text().splitlines()) <= 450


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_a_function_is_read_without_scrolling(module: Path) -> None:
    long = [f.name for f in functions(module) if (f.end_lineno or f.lineno) - f.lineno + 1 > 60]
    assert long == []


def test_functions_are_short_on_the_whole() -> None:
    sizes = sorted(
        (f.end_lineno or f.lineno) - f.lineno + 1 for module in MODULES for f in functions(module)
    )
    assert sizes[len(sizes) // 2] <= 12
    assert sizes[len(sizes) * 9 // 10] <= 34


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_error_is_caught_broadly_and_forgotten(module: Path) -> None:
    if module.parent.name in ("db", "adapters"):
        return
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or (
                isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
            )
            assert not broad or any(isinstance(n, ast.Raise) for n in ast.walk(node))


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_sql_stands_in_stores_only(module: Path) -> None:
    if "db" in module.parts or (module.name in STORES and module.parent.name != "cli"):
        return
    texts = [
        node.value
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [text for text in texts if SQL.search(text)] == []


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_every_public_thing_says_what_it_is(module: Path) -> None:
    tree = ast.parse(module.read_text())
    assert ast.get_docstring(tree)
    silent = [node.name for node in public(tree) if not ast.get_docstring(node)]
    assert silent == []


def public(within: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    for node in within.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node)


def test_the_public_names_are_these() -> None:
    assert package.__all__ == [
        "Admin",
        "Ambiguous",
        "Conflicted",
        "Connector",
        "Context",
        "Extension",
        "Found",
        "Incoming",
        "InvalidInput",
        "Kithkin",
        "KithkinError",
        "Memory",
        "Message",
        "Models",
        "NotFound",
        "Note",
        "Person",
        "Queued",
        "Recalled",
        "Record",
        "Refused",
        "StaleEdit",
        "StorageError",
        "SystemEvent",
        "ToolCall",
        "ToolResult",
        "Turn",
        "Unknown",
        "Waits",
        "Wanted",
        "Why",
        "__version__",
        "group_records",
        "same_name",
    ]
    assert len(package.__all__) <= 40
    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        package.nothing  # noqa: B018 - asking is the test


def commands(command: click.Command, path: str) -> Iterator[str]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from commands(child, f"{path} {name}")


@pytest.mark.parametrize("path", list(commands(root, "kithkin"))[1:])
def test_every_command_is_documented(path: str) -> None:
    assert f"## `{path}`" in (REFERENCE / "cli.md").read_text()


@pytest.mark.parametrize("page", sorted((SOURCE.parent.parent / "docs").rglob("*.md")), ids=str)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|HACK|NotImplementedError)\b")
    assert [name_of(m) for m in MODULES if marks.search(m.read_text())] == []


def calls(module: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Call):
            yield node


def made(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_only_the_gate_makes_an_approval(module: Path) -> None:
    approvals = [call for call in calls(module) if made(call) == "Approved"]
    assert not approvals or name_of(module) == "outbound/gate.py"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_only_deliver_gives_anything_to_a_channel(module: Path) -> None:
    outgoing = [call for call in calls(module) if made(call) == "Outgoing"]
    assert not outgoing or name_of(module) == "outbound/delivery.py"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_nothing_is_decided_by_the_prefix_of_a_tools_name(module: Path) -> None:
    prefixes = [
        node.value
        for call in calls(module)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("startswith", "removeprefix", "lstrip")
        for node in ast.walk(call)
        if isinstance(node, ast.Constant)
    ]
    assert not {"user_", "bot_"} & set(map(str, prefixes))
