"""What an MCP client can attach to a conversation: people, artifacts, the timeline."""

from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import unquote

import msgspec
from mcp_types import Resource, ResourceTemplate

from kithkin.artifacts.ops import content_of
from kithkin.canonical import require_text
from kithkin.disclosure.explore import Wanted
from kithkin.errors import NotFound
from kithkin.mcp import answers
from kithkin.mcp.caller import Caller
from kithkin.memories.extract.sentences import marked

SCHEME: Final = "kithkin://"
_JSON: Final = "application/json"
_TEXT: Final = "text/plain"
_LONGEST: Final = 1000

LISTED: Final = (
    Resource(
        uri=f"{SCHEME}people",
        name="people",
        title="Known people",
        description="Everybody known, by id and name.",
        mime_type=_JSON,
    ),
    Resource(
        uri=f"{SCHEME}artifacts",
        name="artifacts",
        title="Documents",
        description="The documents of every project, by label.",
        mime_type=_JSON,
    ),
    Resource(
        uri=f"{SCHEME}timeline",
        name="timeline",
        title="What happened",
        description="The latest that happened, newest first.",
        mime_type=_JSON,
    ),
)
TEMPLATES: Final = (
    ResourceTemplate(
        uri_template=f"{SCHEME}people/{{person}}",
        name="person",
        title="A person",
        description="A person by id, with what is known of them and may be told.",
        mime_type=_JSON,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}artifacts/{{label}}",
        name="artifact",
        title="A document",
        description="A document by its label or id; label@commit is an earlier version.",
        mime_type=_TEXT,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}timeline/{{item}}",
        name="item",
        title="Something that happened",
        description="One item of the timeline by its id, with what it is connected with.",
        mime_type=_JSON,
    ),
)


class Known(msgspec.Struct, frozen=True):
    """A person, and what is known of them."""

    person: answers.Named
    known: tuple[answers.Fact, ...]


def read(caller: Caller, uri: str) -> tuple[str, str]:
    """The text of a resource and its type. Nothing but what has an id or a label can be named."""
    kind, mark, name = uri.removeprefix(SCHEME).partition("/")
    found = (_ONE if mark else _ALL).get(kind) if uri.startswith(SCHEME) else None
    if found is None or (mark and not name) or len(uri) > _LONGEST:
        raise NotFound(f"There is no resource {uri[:80]}. resources/list names those there are.")
    return found(caller, require_text(unquote(name), what="The address"))


def _everybody(caller: Caller, _: str) -> tuple[str, str]:
    return _json([answers.named(one) for one in caller.kin.people.list_all()])


def _person(caller: Caller, name: str) -> tuple[str, str]:
    person = caller.kin.people.get(name)
    told = caller.kin.memories.find_memories_by_subject([person.id], speaker=caller.speaker)
    facts = tuple(answers.Fact(one.id, one.content, one.kind) for one in told)
    return marked(_json(Known(answers.named(person), facts))[0]), _JSON


def _documents(caller: Caller, _: str) -> tuple[str, str]:
    projects = caller.kin.projects
    return _json(
        {
            project.name: [artifact.label for artifact in projects.show(project.uuid).artifacts]
            for project in projects.list()
        }
    )


def _document(caller: Caller, label: str) -> tuple[str, str]:
    return content_of(caller.kin.artifacts.show(label).text), _TEXT


def _latest(caller: Caller, _: str) -> tuple[str, str]:
    page = caller.kin.timeline.list(Wanted(limit=50), speaker=caller.speaker)
    text, kind = _json(answers.happenings(page))
    return marked(text), kind


def _item(caller: Caller, item: str) -> tuple[str, str]:
    text, kind = _json(caller.kin.timeline.show(item, speaker=caller.speaker))
    return marked(text), kind


def _json(value: object) -> tuple[str, str]:
    return msgspec.json.encode(value).decode(), _JSON


_Reader = Callable[[Caller, str], tuple[str, str]]
_ALL: Final[Mapping[str, _Reader]] = {
    "people": _everybody,
    "artifacts": _documents,
    "timeline": _latest,
}
_ONE: Final[Mapping[str, _Reader]] = {
    "people": _person,
    "artifacts": _document,
    "timeline": _item,
}
