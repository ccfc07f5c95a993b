"""Conversations' tables: projects and branches are entities; a branch's items are rows."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from kithkin.conversations.model import Frame, Log, Project, Summary, Viewport
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import InvalidInput, NotFound
from kithkin.ids import EntityId
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Fragment, Item, Relation

PROJECT: Final = "project"
LOG: Final = "log"
SCRATCHPAD: Final = "scratchpad"


def add_project(tx: Tx, name: str, *, by: By) -> Project:
    """A new project, under a name of its own."""
    if _named(tx, name):
        raise InvalidInput(f"There is a project {name!r} already. Choose another name.")
    return _project_of(core.add(tx, PROJECT, {"name": name}, by=by))


def get_project(tx: Tx, uuid: str) -> Project:
    """The project with this id."""
    entity = core.get(tx, uuid)
    if entity.type != PROJECT:
        raise NotFound(f"{uuid} is no project. `kithkin project list` lists them.")
    return _project_of(entity)


def project_named(tx: Tx, name: str) -> Project | None:
    """The project of that name."""
    uuid = _named(tx, name)
    return get_project(tx, uuid) if uuid else None


def projects(tx: Tx) -> list[Project]:
    """Every project, by name."""
    rows = tx.execute("SELECT project FROM project_name ORDER BY name", {})
    return [get_project(tx, row[0]) for row in rows.fetchall()]


def close_project(tx: Tx, project: Project, *, by: By) -> Project:
    """Mark a project as closed."""
    data = {"name": project.name, "closed_at": by.now}
    return _project_of(core.change(tx, core.get(tx, project.uuid), data, by=by))


def add_log(tx: Tx, log: Log, *, by: By) -> Log:
    """A new branch, the next in the stack. One that has an id keeps it."""
    numbered = msgspec.structs.replace(log, number=_next_number(tx, log.project))
    entity = core.add(tx, LOG, _log_data(numbered), by=by, uuid=log.uuid or None)
    return _log_of(entity)


def save_log(tx: Tx, log: Log, *, by: By) -> Log:
    """The branch as it is now."""
    return _log_of(core.change(tx, core.get(tx, log.uuid), _log_data(log), by=by))


def get_log(tx: Tx, uuid: str) -> Log:
    """The branch with this id."""
    entity = core.get(tx, uuid)
    if entity.type != LOG:
        raise NotFound(f"{uuid} is no branch. `kithkin project tree` draws them.")
    return _log_of(entity)


def stack(tx: Tx, project: str) -> list[str]:
    """The branches of a project in the order they were made."""
    rows = tx.execute(
        "SELECT log FROM conversation_log WHERE project = :project ORDER BY number",
        {"project": project},
    )
    return [row[0] for row in rows]


def logs(tx: Tx, project: str) -> dict[str, Log]:
    """The branches of a project by id, in the order they were made."""
    return {uuid: get_log(tx, uuid) for uuid in stack(tx, project)}


def append(tx: Tx, log: Log, item: Item, *, by: By) -> None:
    """Put an item at the end of a branch."""
    source, target = End(log.uuid, "entity"), End(item.uuid, "item")
    relations.relate(tx, KINDS["contains"], source=source, target=target, by=by)
    _put(tx, log.uuid, item, place=soil.head(tx).seq)


def items_of(tx: Tx, log: str) -> list[str]:
    """The items of a branch itself, in order."""
    rows = tx.execute("SELECT item FROM log_item WHERE log = :log ORDER BY place", {"log": log})
    return [row[0] for row in rows]


def logs_with(tx: Tx, project: str, item: str) -> list[str]:
    """The branches of a project that an item was appended to."""
    rows = tx.execute(
        "SELECT i.log FROM log_item i JOIN conversation_log l ON l.log = i.log"
        " WHERE i.item = :item AND l.project = :project ORDER BY l.number",
        {"item": item, "project": project},
    )
    return [row[0] for row in rows]


def project_with(tx: Tx, item: str) -> str | None:
    """The project in whose branches an item stands."""
    row = tx.execute(
        "SELECT l.project FROM log_item i JOIN conversation_log l ON l.log = i.log"
        " WHERE i.item = :item ORDER BY i.place LIMIT 1",
        {"item": item},
    ).fetchone()
    return row[0] if row else None


def fragments_called(tx: Tx, project: str, fragment: str) -> list[tuple[str, int]]:
    """The items of a project's branches with a fragment of that id, and where; oldest first."""
    rows = tx.execute(
        "SELECT DISTINCT f.item, f.position, i.place FROM fragment f"
        " JOIN conversation_log l ON l.log = f.log"
        " JOIN log_item i ON i.log = f.log AND i.item = f.item"
        " WHERE f.id = :id AND l.project = :project"
        " AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.item = f.item)"
        " ORDER BY i.place, f.position",
        {"id": fragment, "project": project},
    )
    return list(dict.fromkeys((row[0], row[1]) for row in rows))


def fragments_of(item: Item) -> tuple[Fragment, ...]:
    """The ideas an item holds: a message's, or those of a summary."""
    fields = fields_of(item)
    given = fields.get("fragments") or (fields.get("payload") or {}).get("fragments") or ()
    return msgspec.convert(given, tuple[Fragment, ...])


def forget_item(tx: Tx, item: str) -> None:
    """Drop what is known of an erased item's words."""
    tx.execute("DELETE FROM fragment WHERE item = :item", {"item": item})


def frame_of(tx: Tx, project: str, participant: str) -> Frame | None:
    """Where a participant works; None before they have begun."""
    row = tx.execute(
        "SELECT participant, log, head FROM frame"
        " WHERE project = :project AND participant = :participant",
        {"project": project, "participant": participant},
    ).fetchone()
    return Frame(*row) if row else None


def frames(tx: Tx, project: str) -> list[Frame]:
    """Where everybody works."""
    rows = tx.execute(
        "SELECT participant, log, head FROM frame WHERE project = :project ORDER BY participant",
        {"project": project},
    )
    return [Frame(*row) for row in rows]


def move_frame(tx: Tx, project: str, frame: Frame) -> Frame:
    """Put a participant on a branch."""
    tx.execute(
        "INSERT INTO frame (project, participant, log, head)"
        " VALUES (:project, :participant, :log, :head) ON CONFLICT (project, participant)"
        " DO UPDATE SET log = excluded.log, head = excluded.head",
        {
            "project": project,
            "participant": frame.participant,
            "log": frame.branch_uuid,
            "head": frame.head,
        },
    )
    return frame


def viewport_of(tx: Tx, project: str, participant: str) -> Viewport | None:
    """What a participant looks at; None before they have looked at anything."""
    row = tx.execute(
        "SELECT participant, artifact, first_line, last_line, tool_call, looked_at FROM viewport"
        " WHERE project = :project AND participant = :participant",
        {"project": project, "participant": participant},
    ).fetchone()
    return Viewport(*row) if row else None


def move_viewport(tx: Tx, project: str, view: Viewport) -> None:
    """Remember what a participant looks at now."""
    tx.execute(
        "INSERT INTO viewport (project, participant, artifact, first_line, last_line, tool_call,"
        " looked_at) VALUES (:project, :participant, :artifact, :start, :end, :call, :at)"
        " ON CONFLICT (project, participant) DO UPDATE SET artifact = excluded.artifact,"
        " first_line = excluded.first_line, last_line = excluded.last_line,"
        " tool_call = excluded.tool_call, looked_at = excluded.looked_at",
        {"project": project, **msgspec.to_builtins(view)},
    )


def scratchpad_of(tx: Tx, project: str) -> Entity | None:
    """The project's scratchpad, if anything was noted yet."""
    row = tx.execute(
        "SELECT entity FROM scratchpad WHERE project = :project", {"project": project}
    ).fetchone()
    return core.get(tx, row[0]) if row else None


def note(tx: Tx, project: str, entry: dict[str, Any], *, by: By) -> Entity:
    """Write a note on the project's scratchpad."""
    before = scratchpad_of(tx, project)
    if before is None:
        return core.add(tx, SCRATCHPAD, {"project": project, "notes": [entry]}, by=by)
    data = core.require_data(before)
    return core.change(tx, before, {**data, "notes": [*data.get("notes", ()), entry]}, by=by)


def told_after(tx: Tx, seq: int, *, limit: int) -> list[Item]:
    """What people and agents did after a place of the ledger, in order."""
    rows = tx.execute(
        "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"
        " hash, erased_at FROM item WHERE seq > :seq"
        " AND _type IN ('ToolCall', 'Message', 'ArtifactCreated', 'ArtifactDelta')"
        " ORDER BY seq LIMIT :limit",
        {"seq": seq, "limit": limit},
    )
    return [Item(*row) for row in rows]


def items_of_types(tx: Tx, types: Iterable[str]) -> list[Item]:
    """Every item of some types, in the order of the ledger."""
    found = [
        Item(*row)
        for one in types
        for row in tx.execute(
            "SELECT seq, uuid, _type, realized_at, canonical_at, header, data, salt, payload_hash,"
            " hash, erased_at FROM item WHERE _type = :type",
            {"type": one},
        )
    ]
    return sorted(found, key=lambda item: item.seq)


def _named(tx: Tx, name: str) -> str | None:
    row = tx.execute(
        "SELECT project FROM project_name WHERE name = :name", {"name": name}
    ).fetchone()
    return row[0] if row else None


def _next_number(tx: Tx, project: str) -> int:
    row = tx.execute(
        "SELECT coalesce(max(number), 0) + 1 FROM conversation_log WHERE project = :project",
        {"project": project},
    ).fetchone()
    return int(row[0])


def _project_of(entity: Entity) -> Project:
    data = core.require_data(entity)
    return Project(EntityId(entity.uuid), data["name"], data.get("closed_at"))


def _log_data(log: Log) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(log)
    del fields["uuid"]
    return fields


def _log_of(entity: Entity) -> Log:
    data = dict(core.require_data(entity))
    summary = data.pop("summary", None)
    told = msgspec.convert(summary, Summary) if summary else None
    return Log(uuid=EntityId(entity.uuid), summary=told, **data)


def _put(tx: Tx, log: str, item: Item, *, place: int) -> None:
    tx.execute(
        "INSERT INTO log_item (log, place, item) VALUES (:log, :place, :item)",
        {"log": log, "place": place, "item": item.uuid},
    )
    tx.executemany(
        "INSERT INTO fragment (id, log, item, position) VALUES (:id, :log, :item, :position)",
        [
            {"id": fragment.id, "log": log, "item": item.uuid, "position": position}
            for position, fragment in enumerate(fragments_of(item))
        ],
    )


def _restore_item(tx: Tx, relation: Item) -> None:
    fields = fields_of(relation)
    if fields["kind"] != "contains" or fields["target_type"] != "item":
        return
    there = tx.execute("SELECT 1 FROM conversation_log WHERE log = :log", {"log": fields["source"]})
    if there.fetchone():
        _put(tx, fields["source"], soil.get(tx, fields["target"]), place=relation.seq)


def _clear_items(tx: Tx) -> None:
    tx.execute("DELETE FROM log_item", {})
    tx.execute("DELETE FROM fragment", {})


lookup_rows.register_items(
    Relation.__name__,
    lookup_rows.ItemProjection(restore=_restore_item, clear=_clear_items),
)


def _project_project(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM project_name WHERE project = :uuid", {"uuid": after.uuid})
    if after.data is not None:
        tx.execute(
            "INSERT INTO project_name (name, project) VALUES (:name, :project)",
            {"name": after.data["name"], "project": after.uuid},
        )


def _project_log(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is None and after.data is not None:
        tx.execute(
            "INSERT INTO conversation_log (log, project, number) VALUES (:log, :project, :number)",
            {"log": after.uuid, "project": after.data["project"], "number": after.data["number"]},
        )
    if after.data is None:
        _forget_log(tx, after.uuid)


def _forget_log(tx: Tx, log: str) -> None:
    params = {"log": log}
    tx.execute("DELETE FROM conversation_log WHERE log = :log", params)
    tx.execute("DELETE FROM log_item WHERE log = :log", params)
    tx.execute("DELETE FROM fragment WHERE log = :log", params)


def _project_scratchpad(tx: Tx, before: Entity | None, after: Entity) -> None:
    if after.data is None:
        tx.execute("DELETE FROM scratchpad WHERE entity = :uuid", {"uuid": after.uuid})
    elif before is None:
        tx.execute(
            "INSERT INTO scratchpad (project, entity) VALUES (:project, :entity)",
            {"project": after.data["project"], "entity": after.uuid},
        )


def _clear_projects(tx: Tx) -> None:
    tx.execute("DELETE FROM project_name", {})


def _clear_logs(tx: Tx) -> None:
    tx.execute("DELETE FROM conversation_log", {})


def _clear_scratchpads(tx: Tx) -> None:
    tx.execute("DELETE FROM scratchpad", {})


lookup_rows.register(
    PROJECT,
    lookup_rows.Projection(
        commands="`kithkin project`", project=_project_project, clear=_clear_projects
    ),
)
lookup_rows.register(
    LOG,
    lookup_rows.Projection(commands="`kithkin branch`", project=_project_log, clear=_clear_logs),
)
lookup_rows.register(
    SCRATCHPAD,
    lookup_rows.Projection(
        commands="`kithkin read note`", project=_project_scratchpad, clear=_clear_scratchpads
    ),
)
