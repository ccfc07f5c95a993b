"""Projects: begin one, look at it, close it; what belongs to one and what caused what."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from kithkin.artifacts import store as artifacts
from kithkin.artifacts.model import Artifact
from kithkin.conversations import store as conversations
from kithkin.conversations.branch_tree import require_participant
from kithkin.conversations.model import Frame, Log, Project
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.ids import EntityId
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import store as soil
from kithkin.soil.model import Item, SystemEvent


class Overview(Struct, frozen=True):
    """A project with all that is in it."""

    project: Project
    stack: tuple[Log, ...]
    artifacts: tuple[Artifact, ...]
    frames: tuple[Frame, ...]
    notes: tuple[Mapping[str, Any], ...] = ()


def create(db: Database, name: str, *, by: By) -> Project:
    """A new project with its first branch, where whoever made it stands."""
    kept = " ".join(name.split())
    if not kept or not kept.isprintable():
        raise InvalidInput("A project needs a name, such as Website.")
    with db.transaction() as tx:
        project = conversations.add_project(tx, kept, by=by)
        root = branch(tx, Log(EntityId(""), project.uuid, 0), by=by)
        event(tx, "project_created", {"project": project.uuid, "log": root.uuid}, by=by)
        frame = Frame(require_participant(by.actor), root.uuid)
        conversations.move_frame(tx, project.uuid, frame)
    return project


def meant(tx: Tx, said: str | None) -> Project:
    """The project of that name or id; the only one there is, when none is named."""
    if said is None:
        there = [one for one in conversations.projects(tx) if one.closed_at is None]
        if len(there) == 1:
            return there[0]
        raise InvalidInput(_which(there))
    named = conversations.project_named(tx, " ".join(said.split()))
    if named:
        return named
    found = core.starting_with(tx, said) if said.strip() else []
    if len(found) == 1:
        return conversations.get_project(tx, found[0])
    raise NotFound(f"There is no project {said!r}. `kithkin project list` lists them.")


def _which(there: list[Project]) -> str:
    if there:
        return f"Say which project with --project: {', '.join(one.name for one in there)}."
    return "No project is open. `kithkin project create NAME` begins one; or name a closed one."


def still_open(tx: Tx, said: str | None) -> Project:
    """A project that can still be worked on."""
    project = meant(tx, said)
    if project.closed_at:
        raise Refused(f"The project {project.name} was closed at {project.closed_at}.")
    return project


def listed(db: Database) -> list[Project]:
    """Every project, by name."""
    with db.snapshot() as tx:
        return conversations.projects(tx)


def overview(db: Database, said: str | None) -> Overview:
    """A project with its branches, artifacts and participants."""
    with db.snapshot() as tx:
        project = meant(tx, said)
        pad = conversations.scratchpad_of(tx, project.uuid)
        return Overview(
            project=project,
            stack=tuple(conversations.logs(tx, project.uuid).values()),
            artifacts=tuple(artifacts.in_project(tx, project.uuid)),
            frames=tuple(conversations.frames(tx, project.uuid)),
            notes=tuple((pad.data or {}).get("notes", ())) if pad else (),
        )


def scratchpad(db: Database, said: str | None) -> Entity | None:
    """The project's scratchpad, with its history like any belief's."""
    with db.snapshot() as tx:
        return conversations.scratchpad_of(tx, meant(tx, said).uuid)


def close(db: Database, said: str, *, by: By) -> Project:
    """Close a project: what belongs to it, and that it does, is a fact from now on."""
    with db.transaction() as tx:
        project = still_open(tx, said)
        members = [
            edge.uuid
            for edge in relations.around(tx, project.uuid)
            if (edge.kind, edge.target.id, edge.layer) == ("groups_with", project.uuid, "core")
        ]
        for uuid in members:
            relations.fossilise(tx, uuid, by=by)
        closed = conversations.close_project(tx, project, by=by)
        payload = {"project": project.uuid, "fossilised": members}
        event(tx, "project_closed", payload, by=by)
    return closed


def branch(tx: Tx, log: Log, *, by: By) -> Log:
    """A new branch that belongs to its project."""
    made = conversations.add_log(tx, log, by=by)
    member(tx, End(made.uuid, "entity"), log.project, by=by)
    return made


def member(tx: Tx, end: End, project: str, *, by: By) -> None:
    """Say that something belongs to a project: a belief, until the project closes."""
    relations.relate(tx, KINDS["groups_with"], source=end, target=End(project, "entity"), by=by)


def trigger(tx: Tx, cause: str | None, effect: Item, *, by: By) -> None:
    """Say what caused an item, when that is known."""
    if cause:
        ends = End(soil.get(tx, cause).uuid, "item"), End(effect.uuid, "item")
        relations.relate(tx, KINDS["triggers"], source=ends[0], target=ends[1], by=by)


def event(
    tx: Tx,
    event_type: str,
    payload: Mapping[str, Any],
    *,
    by: By,
    because_of: str | None = None,
) -> Item:
    """Record that something was done to a project."""
    told = SystemEvent(event_type=event_type, payload={**payload, "actor": by.actor})
    item = soil.append(tx, told, now=by.now)
    trigger(tx, because_of, item, by=by)
    return item
