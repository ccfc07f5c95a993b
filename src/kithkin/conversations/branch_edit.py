"""Talk within a project: fork, append, collapse, reopen, and see who stands where."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kithkin.conversations import projects, reference_lookup
from kithkin.conversations import store as conversations
from kithkin.conversations.branch_tree import (
    active_above,
    can_collapse,
    require_active,
    require_collapsible,
    require_known,
    require_participant,
    tree,
    view,
)
from kithkin.conversations.model import Frame, Log, Project, Resolved, Summary, Tree
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.disclosure import indexing
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.ids import EntityId
from kithkin.language.fragments import fragments
from kithkin.language.reference_scanner import preview
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import store as soil
from kithkin.soil.model import Fragment, Item, Message, Note


class Said(Struct, frozen=True):
    """What was appended, where, and what it refers to."""

    item: Item
    log: Log
    fragments: tuple[Fragment, ...]
    references: tuple[Resolved, ...]


class View(Struct, frozen=True):
    """A branch with everything it shows, the parent's part first."""

    log: Log
    items: tuple[Item, ...]
    own: int
    """How many of the items, at the end, are its own."""


class Reopened(Struct, frozen=True):
    """The new branch, and the items of the old one as context."""

    log: Log
    context: tuple[str, ...]


def fork(
    db: Database,
    said: str | None,
    *,
    by: By,
    branch: str | None = None,
    at: str | None = None,
) -> Log:
    """A new branch from any item, with whoever forks standing on it."""
    participant = require_participant(by.actor)
    with db.transaction() as tx:
        project = projects.still_open(tx, said)
        logs = conversations.logs(tx, project.uuid)
        parent = _parent_for(tx, project, logs, branch=branch, at=at, participant=participant)
        require_active(parent)
        shown = _shown(tx, logs, parent)
        point = require_known(shown, at, where=parent.uuid) if at else next(reversed(shown), None)
        log = Log(EntityId(""), project.uuid, 0, parent_uuid=parent.uuid, forked_at=point)
        made = projects.branch(tx, log, by=by)
        payload = {"project": project.uuid, "log": made.uuid, "parent": parent.uuid}
        told = {**payload, "forked_at": point, "participant": participant}
        projects.event(tx, "branch_created", told, by=by, because_of=point)
        conversations.move_frame(tx, project.uuid, Frame(participant, made.uuid))
    return made


def append(
    db: Database,
    said: str | None,
    text: str,
    *,
    by: By,
    because_of: str | None = None,
    replies_to: str | None = None,
    recipient: str | None = None,
) -> Said:
    """Say something on the branch where the participant stands."""
    if not text.strip():
        raise InvalidInput("There is nothing to say: the text is empty.")
    pieces = fragments(text)
    message = Message(
        description=text,
        sender=require_participant(by.actor),
        recipient=recipient,
        fragments=pieces,
    )
    with db.transaction() as tx:
        project = projects.still_open(tx, said)
        log = _standing(tx, project, by.actor)
        item = soil.append(tx, message, now=by.now)
        indexing.index_item(tx, item)
        projects.trigger(tx, because_of, item, by=by)
        if replies_to:
            parent = End(soil.get(tx, replies_to).uuid, "item")
            reply = End(item.uuid, "item")
            relations.relate(tx, KINDS["replies_to"], source=reply, target=parent, by=by)
        references = reference_lookup.index(tx, project.uuid, item, text, by=by)
        _put(tx, project.uuid, log, item, by=by)
    return Said(item, log, pieces, tuple(references))


def append_item(db: Database, said: str | None, uuid: str, *, by: By) -> Log:
    """Put an item that is there already on the branch where the participant stands."""
    with db.transaction() as tx:
        project = projects.still_open(tx, said)
        log = _standing(tx, project, by.actor)
        item = soil.get(tx, uuid)
        if item.uuid in conversations.items_of(tx, log.uuid):
            raise InvalidInput(f"{item.uuid} is on this branch already.")
        _put(tx, project.uuid, log, item, by=by)
    return log


def joined(tx: Tx, project: str, item: Item, *, by: By) -> None:
    """What a participant makes belongs to the branch where they stand, if they stand on one."""
    frame = conversations.frame_of(tx, project, by.actor)
    log = conversations.get_log(tx, frame.branch_uuid) if frame else None
    if log and log.active:
        _put(tx, project, log, item, by=by)


def go(db: Database, branch: str, *, by: By) -> Frame:
    """Stand on another branch."""
    participant = require_participant(by.actor)
    with db.transaction() as tx:
        log = conversations.get_log(tx, branch)
        require_active(log)
        shown = _shown(tx, conversations.logs(tx, log.project), log)
        frame = Frame(participant, log.uuid, next(reversed(shown), None))
        return conversations.move_frame(tx, log.project, frame)


def collapsible(db: Database, branch: str) -> bool:
    """Whether a branch goes on and nothing that grows from it does."""
    with db.snapshot() as tx:
        log = conversations.get_log(tx, branch)
        return log.active and can_collapse(conversations.logs(tx, log.project).values(), branch)


def collapse(db: Database, branch: str, content: str, *, by: By) -> Log:
    """Put a branch behind a summary; whoever stood there stands on its parent."""
    if not content.strip():
        raise InvalidInput("Say what the branch came to: the summary is empty.")
    pieces = fragments(content)
    with db.transaction() as tx:
        log = conversations.get_log(tx, branch)
        project = projects.still_open(tx, log.project)
        logs = conversations.logs(tx, project.uuid)
        require_collapsible(list(logs.values()), log)
        ids = tuple(piece.id for piece in pieces)
        summary = Summary(by.now, require_participant(by.actor), content, ids)
        done = conversations.save_log(tx, replace(log, summary=summary), by=by)
        event = _summarised(tx, done, pieces, by=by)
        parent = logs.get(log.parent_uuid or "")
        if parent:
            conversations.append(tx, parent, event, by=by)
            _move_frames(tx, project.uuid, log, Frame("", parent.uuid, event.uuid))
    return done


def reopen(db: Database, branch: str, *, by: By) -> Reopened:
    """Take up a collapsed branch in a new one. The old one and its summary stay as they are."""
    participant = require_participant(by.actor)
    with db.transaction() as tx:
        old = conversations.get_log(tx, branch)
        project = projects.still_open(tx, old.project)
        if old.summary is None:
            raise Refused(f"{old.uuid} goes on: `kithkin branch go {old.uuid}` stands you there.")
        logs = conversations.logs(tx, project.uuid)
        parent = active_above(logs, old)
        log = Log(
            EntityId(""),
            project.uuid,
            0,
            parent_uuid=parent.uuid if parent else None,
            forked_at=old.forked_at if parent and parent.uuid == old.parent_uuid else None,
            continues=old.uuid,
        )
        made = projects.branch(tx, log, by=by)
        ends = End(made.uuid, "entity"), End(old.uuid, "entity")
        relations.relate(tx, KINDS["continues"], source=ends[0], target=ends[1], by=by)
        payload = {"project": project.uuid, "log": made.uuid, "continues": old.uuid}
        event = projects.event(
            tx, "branch_reopened", {**payload, "participant": participant}, by=by
        )
        words = f"Continues [{_quotable(old.summary.content)}]({old.uuid})."
        first = soil.append(tx, Note(description=words), now=by.now)
        projects.trigger(tx, event.uuid, first, by=by)
        _put(tx, project.uuid, made, first, by=by)
        return Reopened(made, tuple(_shown(tx, logs, old)))


def show(db: Database, branch: str) -> View:
    """What a branch shows: the parent's view up to the fork, and its own; not what was undone."""
    with db.snapshot() as tx:
        log = conversations.get_log(tx, branch)
        shown = _shown(tx, conversations.logs(tx, log.project), log)
        told = [uuid for uuid in shown if not soil.is_undone(tx, uuid)]
        own = set(conversations.items_of(tx, log.uuid)).intersection(told)
        return View(log, tuple(soil.get(tx, uuid) for uuid in told), len(own))


def branch_meant(db: Database, said: str | None, branch: str | None, *, participant: str) -> str:
    """A branch by its number in the stack or by the start of its id; else where one stands."""
    with db.snapshot() as tx:
        if branch and not branch.isdecimal():
            found = core.starting_with(tx, branch)
            if len(found) == 1:
                return conversations.get_log(tx, found[0]).uuid
            raise NotFound(f"There is no branch {branch}. `kithkin project tree` draws them.")
        project = projects.meant(tx, said)
        if branch is None:
            return _standing(tx, project, participant).uuid
        stack = conversations.stack(tx, project.uuid)
        if not 1 <= int(branch) <= len(stack):
            raise NotFound(f"{project.name} has {len(stack)} branches, no number {branch}.")
        return stack[int(branch) - 1]


def frames(db: Database, said: str | None) -> list[Frame]:
    """Where everybody stands."""
    with db.snapshot() as tx:
        return conversations.frames(tx, projects.meant(tx, said).uuid)


def branch_tree(db: Database, said: str | None) -> list[Tree]:
    """The branches of a project as they grow from each other."""
    with db.snapshot() as tx:
        return tree(list(conversations.logs(tx, projects.meant(tx, said).uuid).values()))


def _parent_for(
    tx: Tx,
    project: Project,
    logs: Mapping[str, Log],
    *,
    branch: str | None,
    at: str | None,
    participant: str,
) -> Log:
    if branch:
        if branch not in logs:
            raise NotFound(f"{branch} is no branch of {project.name}.")
        return logs[branch]
    standing = _standing(tx, project, participant)
    if at is None or at in _shown(tx, logs, standing):
        return standing
    holding = conversations.logs_with(tx, project.uuid, at)
    if not holding:
        raise NotFound(f"{at} is on no branch of {project.name}.")
    return logs[holding[0]]


def _standing(tx: Tx, project: Project, participant: str) -> Log:
    """The branch where a participant stands; the first one, before they have begun."""
    frame = conversations.frame_of(tx, project.uuid, participant)
    uuid = frame.branch_uuid if frame else conversations.stack(tx, project.uuid)[0]
    return conversations.get_log(tx, uuid)


def _shown(tx: Tx, logs: Mapping[str, Log], log: Log) -> Sequence[str]:
    return view(logs, log, lambda uuid: conversations.items_of(tx, uuid))


def _put(tx: Tx, project: str, log: Log, item: Item, *, by: By) -> None:
    require_active(log)
    conversations.append(tx, log, item, by=by)
    conversations.move_frame(tx, project, Frame(by.actor, log.uuid, item.uuid))


def _move_frames(tx: Tx, project: str, log: Log, to: Frame) -> None:
    for frame in conversations.frames(tx, project):
        if frame.branch_uuid == log.uuid:
            conversations.move_frame(tx, project, replace(to, participant=frame.participant))


def _summarised(tx: Tx, log: Log, pieces: Sequence[Fragment], *, by: By) -> Item:
    payload = {
        "project": log.project,
        "log": log.uuid,
        "author": by.actor,
        "content": log.summary.content if log.summary else "",
        "fragments": [{"id": piece.id, "content": piece.content} for piece in pieces],
    }
    event = projects.event(tx, "summary_generated", payload, by=by)
    ends = End(event.uuid, "item"), End(log.uuid, "entity")
    relations.relate(tx, KINDS["derived_from"], source=ends[0], target=ends[1], by=by)
    return event


def _quotable(text: str) -> str:
    return preview(text).replace("[", "(").replace("]", ")")
