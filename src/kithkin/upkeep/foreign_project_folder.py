"""A project's folder that another program wrote: its ids are kept, its past begins with us."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from kithkin.artifacts import artifact_edit, commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.diff import from_text
from kithkin.artifacts.labels import require_label
from kithkin.artifacts.model import Draft, Text
from kithkin.clock import moment, stamp
from kithkin.conversations import projects
from kithkin.conversations import store as conversations
from kithkin.conversations.model import Log, Project, Summary
from kithkin.core.model import By
from kithkin.db import Tx
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput
from kithkin.ids import EntityId
from kithkin.relations.model import End
from kithkin.soil import store as soil
from kithkin.soil.content import read_content
from kithkin.soil.model import Item

_OURS = frozenset(("ArtifactCreated", "ArtifactDelta", "EntityDelta", "Relation", "Undo"))
"""Types that only mean something together with what Kithkin keeps beside them."""


class LogTold(Struct, frozen=True):
    """A branch as a file tells of it."""

    uuid: str
    parent_uuid: str | None = None
    items: tuple[str, ...] = ()
    summary: Summary | None = None
    forked_at: str | None = None
    continues: str | None = None


class ArtifactTold(Struct, frozen=True):
    """An artifact as a file tells of it."""

    uuid: str
    label: str
    label_history: tuple[str, ...] = ()


class Foreign(Struct, frozen=True):
    """What the files of a folder say."""

    name: str
    rows: tuple[Mapping[str, str], ...]
    stack: tuple[str, ...]
    logs: Mapping[str, LogTold]
    artifacts: tuple[tuple[ArtifactTold, str], ...]


def make(tx: Tx, foreign: Foreign, *, by: By) -> tuple[Project, list[str]]:
    """The project, and the ids of items that were left out."""
    left_out = _take_items(tx, foreign)
    project = conversations.add_project(tx, foreign.name, by=by)
    for log in _in_order(foreign):
        _make_log(tx, project, log, by=by)
    if not foreign.logs:
        projects.branch(tx, Log(EntityId(""), project.uuid, 0), by=by)
    for about, content in foreign.artifacts:
        _make_artifact(tx, project, about, artifact_edit.read(content), by=by)
    payload = {"project": project.uuid, "left_out": left_out}
    projects.event(tx, "project_imported", payload, by=by)
    return project, left_out


def append(tx: Tx, row: Mapping[str, str]) -> Item:
    """An item as a file has it, under its own id and times."""
    item = soil.append(
        tx,
        read_content(row["_type"], row["data"]),
        now=stamp(moment(row["realized_at"])),
        canonical_at=stamp(moment(row["canonical_at"])),
        uuid=row["uuid"],
    )
    indexing.index_item(tx, item)
    return item


def _take_items(tx: Tx, foreign: Foreign) -> list[str]:
    left_out = []
    for row in foreign.rows:
        if row["_type"] in _OURS or soil.exists(tx, row["uuid"]):
            left_out.append(row["uuid"])
        else:
            append(tx, row)
    return left_out


def _in_order(foreign: Foreign) -> Iterator[LogTold]:
    """The branches, each after the one it grows from: a loop of parents would have no end."""
    seen: set[str] = set()
    for uuid in [*foreign.stack, *sorted(set(foreign.logs) - set(foreign.stack))]:
        log = foreign.logs.get(uuid)
        if log is None:
            raise InvalidInput(f"The stack names the branch {uuid}, and no file in logs/ has it.")
        above = {one for one in (log.parent_uuid, log.continues) if one}
        if uuid in seen or not above <= seen:
            raise InvalidInput(
                f"The branch {uuid} stands twice in the stack, or before the one it grows from."
            )
        seen.add(uuid)
        yield log


def _make_log(tx: Tx, project: Project, told: LogTold, *, by: By) -> None:
    log = projects.branch(
        tx,
        Log(
            EntityId(told.uuid),
            project.uuid,
            0,
            parent_uuid=told.parent_uuid,
            forked_at=told.forked_at,
            continues=told.continues,
            summary=told.summary,
        ),
        by=by,
    )
    for item in dict.fromkeys(told.items):
        if soil.exists(tx, item):
            conversations.append(tx, log, soil.get(tx, item), by=by)


def _make_artifact(tx: Tx, project: Project, about: ArtifactTold, text: Text, *, by: By) -> None:
    past = tuple(map(require_label, about.label_history))
    label = require_label(about.label)
    artifact, _ = artifacts.add(tx, project.uuid, label, by=by, uuid=about.uuid, history=past)
    projects.member(tx, End(artifact.uuid, "artifact"), project.uuid, by=by)
    if text.lines:
        draft = Draft((), from_text(Text(), text), text)
        written = commits.add(tx, artifact, draft, by=by)
        artifacts.move_head(tx, artifact, written.commit, by=by)
