"""A project's folder that another program wrote: its ids are kept, its past begins with us."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.diff import from_text
from kithkin.artifacts.labels import require_label
from kithkin.artifacts.model import Draft, Text
from kithkin.conversations import store as conversations
from kithkin.conversations.model import Log, Project, Summary
from kithkin.core.model import By
from kithkin.db import Tx
from kithkin.errors import InvalidInput
from kithkin.ids import EntityId
from kithkin.journeys import edit, projects
from kithkin.relations.model import End
from kithkin.soil import store as soil
from kithkin.soil.content import read_content

_OURS = frozenset(("ArtifactCreated", "ArtifactDelta", "EntityDelta", "Relation", "Undo"))
"""Types that only mean something together with what Kithkin keeps beside them."""


class Foreign(Struct, frozen=True):
    """What the files of a folder say."""

    name: str
    rows: tuple[Mapping[str, Any], ...]
    stack: tuple[str, ...]
    logs: Mapping[str, Mapping[str, Any]]
    artifacts: tuple[tuple[Mapping[str, Any], str], ...]


def make(tx: Tx, foreign: Foreign, *, by: By) -> tuple[Project, list[str]]:
    """The project, and the ids of items that were left out."""
    left_out = _take_items(tx, foreign)
    project = conversations.add_project(tx, foreign.name, by=by)
    for uuid in [*foreign.stack, *(set(foreign.logs) - set(foreign.stack))]:
        _make_log(tx, project, _log_told(foreign, uuid), by=by)
    if not foreign.logs:
        projects.branch(tx, Log(EntityId(""), project.uuid, 0), by=by)
    for about, content in foreign.artifacts:
        _make_artifact(tx, project, about, edit.read(content), by=by)
    payload = {"project": project.uuid, "left_out": left_out}
    projects.event(tx, "project_imported", payload, by=by)
    return project, left_out


def _take_items(tx: Tx, foreign: Foreign) -> list[str]:
    left_out = []
    for row in foreign.rows:
        if row["_type"] in _OURS or soil.exists(tx, row["uuid"]):
            left_out.append(row["uuid"])
            continue
        soil.append(
            tx,
            read_content(row["_type"], row["data"]),
            now=row["realized_at"],
            canonical_at=row["canonical_at"],
            uuid=row["uuid"],
        )
    return left_out


def _log_told(foreign: Foreign, uuid: str) -> Mapping[str, Any]:
    if uuid not in foreign.logs:
        raise InvalidInput(f"The stack names the branch {uuid}, and there is no logs/{uuid}.json.")
    return foreign.logs[uuid]


def _make_log(tx: Tx, project: Project, told: Mapping[str, Any], *, by: By) -> None:
    try:
        summary = convert(told["summary"], Summary) if told.get("summary") else None
    except ValidationError as error:
        raise InvalidInput(f"The summary of the branch {told['uuid']}: {error}.") from error
    log = projects.branch(
        tx,
        Log(
            EntityId(told["uuid"]),
            project.uuid,
            0,
            parent_uuid=told.get("parent_uuid"),
            forked_at=told.get("forked_at"),
            continues=told.get("continues"),
            summary=summary,
        ),
        by=by,
    )
    for item in _items_told(tx, told):
        conversations.append(tx, log, soil.get(tx, item), by=by)


def _items_told(tx: Tx, told: Mapping[str, Any]) -> Iterator[str]:
    seen = set()
    for item in told.get("items", ()):
        if item not in seen and soil.exists(tx, item):
            seen.add(item)
            yield item


def _make_artifact(
    tx: Tx, project: Project, about: Mapping[str, Any], text: Text, *, by: By
) -> None:
    label = require_label(str(about.get("label", "")))
    past = tuple(map(require_label, about.get("label_history", ())))
    artifact, _ = artifacts.add(tx, project.uuid, label, by=by, uuid=about["uuid"], history=past)
    projects.member(tx, End(artifact.uuid, "artifact"), project.uuid, by=by)
    if text.lines:
        draft = Draft((), from_text(Text(), text), text)
        written = commits.add(tx, artifact, draft, by=by)
        artifacts.move_head(tx, artifact, written.commit, by=by)
