"""A project as the specification's folder of files: written out, and taken in exactly."""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.history import SHORT
from kithkin.artifacts.model import Artifact
from kithkin.artifacts.ops import content_of
from kithkin.contacts.model import OWNER
from kithkin.conversations import projects
from kithkin.conversations import store as conversations
from kithkin.conversations.model import Frame, Log, Project
from kithkin.core import store as core
from kithkin.core.fold import Fold
from kithkin.core.model import By
from kithkin.db import Database, Tx, soil_file
from kithkin.db.folder import storage_error
from kithkin.errors import InvalidInput, NotAllowed, Refused
from kithkin.messages import item_record
from kithkin.relations import store as relations
from kithkin.relations.model import Edge
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of, read_content
from kithkin.soil.model import EntityDelta, Item, Undo
from kithkin.upkeep import backup, verify
from kithkin.upkeep.foreign_project_folder import ArtifactTold, Foreign, LogTold, append, make

_OWN_EVENTS: Final = ("ToolCall", "SystemEvent")
_KINDS: Final = frozenset(
    (
        conversations.PROJECT,
        conversations.LOG,
        conversations.SCRATCHPAD,
        artifacts.ARTIFACT,
        artifacts.PROPOSAL,
        relations.RELATION,
    )
)
"""What a project is made of: a folder that tells of anything else was not written by Kithkin."""


class Taken(Struct, frozen=True):
    """What was written out or taken in."""

    project: Project
    items: int
    logs: int
    artifacts: int
    left_out: tuple[str, ...] = ()
    """Ids of items that were there already, or say nothing Kithkin can replay."""


class _FrameTold(Struct, frozen=True):
    branch_uuid: str
    head: str | None = None


class _Whole(Struct, frozen=True):
    """A project with everything that belongs to it."""

    project: Project
    logs: tuple[Log, ...]
    artifacts: tuple[Artifact, ...]
    items: tuple[Item, ...]
    edges: tuple[Edge, ...]
    """Those of Core: Soil's are items."""


def export(db: Database, said: str | None, folder: Path, *, sees: Callable[[Item], bool]) -> Taken:
    """Write a project to a new folder: whole, or not at all; of what was said, what is seen."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} exists already. Choose another name, or empty it.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".kithkin-") as partial:
            home = Path(partial) / "project"
            home.mkdir(mode=0o700)
            with db.snapshot() as tx:
                whole = _gather(tx, projects.meant(tx, said))
                seen = tuple(one for one in whole.items if one.type != "Message" or sees(one))
                whole = msgspec.structs.replace(whole, items=seen)
                _write_out(tx, whole, home)
            if folder.exists():
                folder.rmdir()
            shutil.move(home, folder)
    except OSError as error:
        raise storage_error(error, folder) from error
    return _taken(whole)


def take_in(db: Database, folder: Path, *, by: By) -> Taken:
    """Take in a folder. One that Kithkin wrote comes out the same, hashes and times included."""
    rows = soil_file.read(_there(folder / "soil.db"))
    if by.actor != OWNER:
        # What others said and what was sent: only the owner vouches for somebody's ledger.
        for row in rows:
            item_record.require_unforged(read_content(row["_type"], row["data"]))
    told = _read(folder / "project.json", Project | None, None)
    frames = _read(folder / "frames.json", dict[str, _FrameTold], {})
    with db.transaction() as tx:
        _require_new(tx, told, told.name if told else folder.resolve().name)
        if told:
            left_out = _replay(tx, rows)
            project = conversations.get_project(tx, told.uuid)
        else:
            project, left_out = make(tx, _foreign(folder, rows), by=by)
        _take_frames(tx, project.uuid, frames)
        whole = _gather(tx, project)
    return msgspec.structs.replace(_taken(whole), left_out=tuple(left_out))


def _taken(whole: _Whole) -> Taken:
    return Taken(whole.project, len(whole.items), len(whole.logs), len(whole.artifacts))


def _gather(tx: Tx, project: Project) -> _Whole:
    logs = tuple(conversations.logs(tx, project.uuid).values())
    documents = tuple(artifacts.in_project(tx, project.uuid))
    items = _items(tx, project, logs, documents)
    entities = _entities(tx, project, logs, documents)
    ends = items | entities
    edges = [
        edge
        for edge in relations.edges(tx, layer="core")
        if {_thing(edge.source.id), _thing(edge.target.id)} <= ends
    ]
    facts = [
        item.uuid for item in conversations.items_of_types(tx, ["Relation"]) if _joins(item, ends)
    ]
    beliefs = entities | {edge.uuid for edge in edges} | _retired(tx, ends)
    changes = {item.uuid for uuid in beliefs for item in core.deltas(tx, uuid)}
    found = [soil.get(tx, uuid) for uuid in items.union(facts, changes)]
    kept = sorted((item for item in found if item.data is not None), key=lambda item: item.seq)
    return _Whole(project, logs, documents, tuple(kept), tuple(edges))


def _items(
    tx: Tx, project: Project, logs: Iterable[Log], documents: Iterable[Artifact]
) -> set[str]:
    """What was said and done in a project, and what caused it."""
    found = {uuid for log in logs for uuid in conversations.items_of(tx, log.uuid)}
    for document in documents:
        found.update(artifacts.created_by(tx, document.uuid), commits.items_of(tx, document.uuid))
    for item in conversations.items_of_types(tx, _OWN_EVENTS):
        fields = fields_of(item)
        about = fields.get("params") or fields.get("payload") or {}
        if about.get("project") == project.uuid:
            found.add(item.uuid)
    for uuid in list(found):
        found.update(relations.causes(tx, uuid))
    return {uuid for uuid in found if soil.get(tx, uuid).data is not None}


def _entities(
    tx: Tx, project: Project, logs: Iterable[Log], documents: Iterable[Artifact]
) -> set[str]:
    pad = conversations.scratchpad_of(tx, project.uuid)
    staged = [
        proposal.uuid
        for document in documents
        for proposal in artifacts.proposals(tx, document.uuid, pending=False)
    ]
    own = {project.uuid, *(log.uuid for log in logs), *(one.uuid for one in documents)}
    return {*own, *staged, *([pad.uuid] if pad else ())}


def _retired(tx: Tx, ends: set[str]) -> set[str]:
    """Beliefs that two things belong together which have become facts, or were taken back."""
    return {
        entity.uuid
        for entity in core.of_type(tx, relations.RELATION)
        if entity.data is not None
        and "state" in entity.data
        and {_thing(entity.data["source"]), _thing(entity.data["target"])} <= ends
    }


def _thing(end: str) -> str:
    return end.partition("#")[0]


def _joins(item: Item, ends: set[str]) -> bool:
    fields = fields_of(item)
    return {_thing(fields["source"]), _thing(fields["target"])} <= ends


def _write_out(tx: Tx, whole: _Whole, home: Path) -> None:
    kept = {item.uuid for item in whole.items}
    frames = {
        frame.participant: {"branch_uuid": frame.branch_uuid, "head": frame.head}
        for frame in conversations.frames(tx, whole.project.uuid)
    }
    _put(home / "project.json", whole.project)
    _put(home / "stack.json", [log.uuid for log in whole.logs])
    _put(home / "frames.json", frames)
    _put(home / "labels.json", {one.label: one.uuid for one in whole.artifacts})
    for log in whole.logs:
        items = [uuid for uuid in conversations.items_of(tx, log.uuid) if uuid in kept]
        told = {**msgspec.to_builtins(log), "items": items}
        _put(home / "logs" / f"{_name(log.uuid)}.json", told)
    for artifact in whole.artifacts:
        _write_artifact(tx, artifact, home / "artifacts" / _name(artifact.uuid))
    soil_file.write(
        home / "soil.db",
        items=map(backup.item_row, whole.items),
        unique_relations=backup.edge_rows(_facts(whole.items), unique=True),
        multi_relations=backup.edge_rows(_facts(whole.items), unique=False),
    )
    soil_file.write(
        home / "core_relations.db",
        items=(),
        unique_relations=backup.edge_rows(list(whole.edges), unique=True),
        multi_relations=backup.edge_rows(list(whole.edges), unique=False),
    )


def _facts(items: Iterable[Item]) -> list[Edge]:
    return [relations.edge_of(item) for item in items if item.type == "Relation"]


def _write_artifact(tx: Tx, artifact: Artifact, home: Path) -> None:
    about = {
        "uuid": artifact.uuid,
        "label": artifact.label,
        "label_history": artifact.label_history,
        "head": artifact.head,
    }
    _put(home / "metadata.json", about)
    _bytes(home / "content.txt", content_of(commits.text_at(tx, artifact.uuid, artifact.head)))
    for name, text in commits.snapshots(tx, artifact.uuid):
        file = home / "snapshots" / f"{name[:SHORT]}.txt"
        _bytes(file.with_stem(name) if file.exists() else file, content_of(text))


def _put(file: Path, value: Any) -> None:
    _bytes(file, msgspec.json.format(msgspec.json.encode(value)).decode() + "\n")


def _bytes(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # As bytes: a line end in a text is the text's own on every system.
    file.write_bytes(text.encode())


def _name(uuid: str) -> str:
    """An id as the name of a file: one from elsewhere may hold anything."""
    safe = quote(uuid, safe="")
    return f"%2E{safe[1:]}" if safe.startswith(".") else safe


def _there(file: Path) -> Path:
    if not file.is_file():
        raise InvalidInput(f"{file.parent} is no project's folder: it has no {file.name}.")
    return file


def _read(file: Path, what: Any, default: Any) -> Any:
    if not file.is_file():
        return default
    try:
        return msgspec.json.decode(file.read_bytes(), type=what)
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"{file} cannot be read: {error}.") from error


def _require_new(tx: Tx, told: Project | None, name: str) -> None:
    if told and core.exists(tx, told.uuid):
        raise Refused(f"The project {told.name} ({told.uuid}) is here already.")
    if conversations.project_named(tx, name):
        raise Refused(f"There is another project {name!r} here already. Import it elsewhere.")


def _replay(tx: Tx, rows: Iterable[Mapping[str, str]]) -> list[str]:
    """Append what happened, and compute what was believed: the way a rebuild does."""
    fold = Fold()
    appended: list[Item] = []
    left_out: list[str] = []
    for row in rows:
        _require_of_a_project(row)
        if soil.exists(tx, row["uuid"]):
            left_out.append(row["uuid"])
            continue
        item = append(tx, row)
        broken = fold.take(item) if item.type == "EntityDelta" else None
        if broken:
            raise InvalidInput(f"The folder was altered: {broken.where} does not hold.")
        appended.append(item)
    for entity in fold.entities():
        if core.exists(tx, entity.uuid):
            raise Refused(f"{entity.uuid} is here already, with another past.")
        core.restore(tx, entity)
    for item in appended:
        verify.refill_lookups(tx, item)
    return left_out


def _require_of_a_project(row: Mapping[str, str]) -> None:
    """Refuse what no project holds: nobody brings in a rule, a contact or an undoing this way."""
    told = read_content(row["_type"], row["data"])
    kind = told.entity_type if isinstance(told, EntityDelta) else None
    if isinstance(told, Undo) or (kind is not None and kind not in _KINDS):
        raise NotAllowed(f"{row['uuid']} is no part of a project: a {kind or row['_type']}.")


def _foreign(folder: Path, rows: list[dict[str, str]]) -> Foreign:
    logs = [_read(file, LogTold, None) for file in sorted(folder.glob("logs/*.json"))]
    homes = sorted(folder.glob("artifacts/*/metadata.json"))
    return Foreign(
        name=folder.resolve().name,
        rows=tuple(rows),
        stack=_read(folder / "stack.json", tuple[str, ...], ()),
        logs={log.uuid: log for log in logs},
        artifacts=tuple((_read(home, ArtifactTold, None), _content(home.parent)) for home in homes),
    )


def _content(home: Path) -> str:
    file = _there(home / "content.txt")
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is no text in UTF-8.") from error


def _take_frames(tx: Tx, project: str, frames: Mapping[str, _FrameTold]) -> None:
    stack = conversations.stack(tx, project)
    for participant, frame in frames.items():
        if frame.branch_uuid in stack:
            there = Frame(participant, frame.branch_uuid, frame.head)
            conversations.move_frame(tx, project, there)
