"""Read together: the same tools for people and agents, each use recorded for the others to see."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from kithkin.artifacts import artifact_edit, commits, proposals
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.diff import from_text
from kithkin.artifacts.line_search import passages
from kithkin.artifacts.model import Artifact, Proposal, Text
from kithkin.conversations import branch_edit, projects, story
from kithkin.conversations import store as conversations
from kithkin.conversations.branch_tree import require_participant
from kithkin.conversations.model import Project, Viewport
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, Refused
from kithkin.relations import store as relations
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.model import Item, SystemEvent, ToolCall

READER: Final = "artifact_reader"
SCRATCHPAD: Final = "scratchpad"
_PAGE: Final = 200


class Passage(Struct, frozen=True):
    """Lines of an artifact, as somebody came to look at them."""

    artifact: str
    commit: str
    start: int
    end: int
    lines: tuple[str, ...]
    reference: str
    """How to refer to them."""
    score: float | None = None


class Used(Struct, frozen=True):
    """A use of a tool: the call, its result, and what came out."""

    call: str
    result: str
    passages: tuple[Passage, ...] = ()
    proposal: Proposal | None = None


class Step(Struct, frozen=True):
    """One item of a story."""

    item: str
    at: str
    who: str | None
    what: str
    depth: int = 0
    seq: int = 0


class Status(Struct, frozen=True):
    """What a participant is at, for whoever is not following."""

    participant: str
    line: str
    viewport: Viewport | None = None


class Purpose(Struct, frozen=True):
    """Where a tool is used, what for, in words for people, and what made one."""

    project: str | None = None
    context: str | None = None
    because_of: str | None = None


class Asked(Struct, frozen=True):
    """Who uses a tool, in which project, what for, and what made them."""

    project: str | None
    by: By
    context: str | None = None
    because_of: str | None = None


class _Outcome(Struct, frozen=True):
    output: Mapping[str, Any]
    passages: tuple[Passage, ...] = ()
    proposal: Proposal | None = None
    looked_at: tuple[str, int, int] | None = None
    """The artifact and lines the participant looks at from now on."""


_Operation = Callable[[Tx, Project, Item], _Outcome]


def semantic_search(db: Database, asked: Asked, query: str, *, artifact: str | None) -> Used:
    """Find the passages that speak of something, in one artifact or in all of the project's."""

    def search(tx: Tx, project: Project, _call: Item) -> _Outcome:
        there = (
            [artifact_edit.meant(tx, artifact, project.uuid)]
            if artifact
            else artifacts.in_project(tx, project.uuid)
        )
        found = sorted(
            (hit for one in there for hit in _search(tx, one, query)),
            key=lambda hit: -(hit.score or 0),
        )[:10]
        told = [
            [hit.start, hit.end] if artifact else [hit.artifact, hit.start, hit.end]
            for hit in found
        ]
        return _Outcome({"matches": told}, tuple(found))

    params = {"artifact": artifact, "query": query}
    return _use(db, asked, "semantic_search", params, search)


def scroll_to(db: Database, asked: Asked, artifact: str, start: int, end: int) -> Used:
    """Look at some lines of an artifact."""

    def scroll(tx: Tx, project: Project, _call: Item) -> _Outcome:
        seen = _passage(tx, artifact_edit.meant(tx, artifact, project.uuid), start, end)
        return _looked(tx, project, seen)

    params = {"artifact": artifact, "start": start, "end": end}
    return _use(db, asked, "scroll_to", params, scroll)


def scroll(db: Database, asked: Asked, by_lines: int) -> Used:
    """Look further down, or up when it is negative, from where one looks now."""
    if by_lines == 0:
        raise InvalidInput("Say by how many lines to scroll.")

    def move(tx: Tx, project: Project, _call: Item) -> _Outcome:
        here = conversations.viewport_of(tx, project.uuid, asked.by.actor)
        if here is None:
            raise Refused("You look at nothing yet: `kithkin read scroll-to` some lines first.")
        artifact = artifacts.get(tx, here.artifact)
        last = max(1, len(commits.text_at(tx, artifact.uuid, artifact.head).lines))
        height = min(here.end - here.start, last - 1)
        start = min(max(1, here.start + by_lines), last - height)
        return _looked(tx, project, _passage(tx, artifact, start, start + height))

    name = "scroll_down" if by_lines > 0 else "scroll_up"
    return _use(db, asked, name, {"n": abs(by_lines)}, move)


def select_lines(db: Database, asked: Asked, artifact: str, start: int, end: int) -> Used:
    """Select lines, to refer to them as they are now."""

    def select(tx: Tx, project: Project, _call: Item) -> _Outcome:
        seen = _passage(tx, artifact_edit.meant(tx, artifact, project.uuid), start, end)
        output = {"reference": seen.reference, "lines": [start, end]}
        return _Outcome(output, (seen,))

    params = {"artifact": artifact, "start": start, "end": end}
    return _use(db, asked, "select_lines", params, select)


def note(db: Database, asked: Asked, content: str) -> Used:
    """Write a note on the project's scratchpad, which participants share while they work."""
    if not content.strip():
        raise InvalidInput("There is nothing to note: the text is empty.")

    def write(tx: Tx, project: Project, call: Item) -> _Outcome:
        entry = {"content": content, "by": asked.by.actor, "at": asked.by.now, "item": call.uuid}
        pad = conversations.note(tx, project.uuid, entry, by=asked.by)
        return _Outcome({"scratchpad": pad.uuid})

    return _use(db, asked, "note", {"content": content}, write, tool=SCRATCHPAD)


def propose_edit(
    db: Database,
    asked: Asked,
    artifact: str,
    lines: tuple[int, int],
    content: str,
    *,
    reasoning: str | None,
) -> Used:
    """Stage other words for some lines; an empty range before a line stages an insertion."""
    start, end = lines

    def propose(tx: Tx, project: Project, call: Item) -> _Outcome:
        there = artifact_edit.changeable(tx, artifact, project.uuid)
        before = commits.text_at(tx, there.uuid, there.head)
        change = from_text(before, _with(before, there, lines, artifact_edit.read(content)))
        why = (reasoning, call.uuid)
        made = proposals.propose_edit(tx, there, change, parent=there.head, why=why, by=asked.by)
        return _Outcome({"proposal": made.uuid}, proposal=made)

    params = {"artifact": artifact, "start": start, "end": end, "content": content}
    return _use(db, asked, "propose_edit", {**params, "reasoning": reasoning}, propose)


def status(db: Database, project: str | None, participant: str) -> Status:
    """What a participant is at, on one line."""
    with db.snapshot() as tx:
        home = projects.meant(tx, project)
        view = conversations.viewport_of(tx, home.uuid, participant)
        if view is None:
            return Status(participant, f"{participant} has not looked at anything yet.")
        label = artifacts.get(tx, view.artifact).label
        call = soil.get(tx, view.call)
        context = fields_of(call).get("context") if call.data is not None else None
        line = f"{participant} looks at {label} {view.start}-{view.end}"
        return Status(participant, f"{line}: {context}" if context else line, view)


def follow(
    db: Database, project: str | None, participant: str, *, after: int, limit: int = 100
) -> list[Step]:
    """What a participant did in a project after a place of the ledger, in order."""
    found: list[Step] = []
    with db.snapshot() as tx:
        home = projects.meant(tx, project).uuid
        while items := conversations.told_after(tx, after, limit=_PAGE):
            steps = [_step(tx, item) for item in items if _home_of(tx, item) == home]
            found += (step for step in steps if step.who == participant)
            after = items[-1].seq
            if len(found) >= limit:
                break
    return found[:limit]


def _home_of(tx: Tx, item: Item) -> str | None:
    """The project an item belongs to."""
    if item.data is None:
        return conversations.project_with(tx, item.uuid)
    fields = fields_of(item)
    artifact = artifacts.find(tx, fields.get("artifact_uuid", ""))
    if artifact:
        return artifact.project
    named = fields.get("params", {}).get("project")
    return named or conversations.project_with(tx, item.uuid)


def ledger_end(db: Database) -> int:
    """Where the ledger ends now: a follower begins there."""
    with db.snapshot() as tx:
        return soil.head(tx).seq


def retrace(db: Database, uuid: str) -> list[Step]:
    """The whole chain around an item, from what started it, as a story."""
    with db.snapshot() as tx:
        root = relations.root(tx, soil.get(tx, uuid).uuid)
        effects: dict[str, list[str]] = {}
        for cause, effect in relations.effects(tx, root):
            effects.setdefault(cause, []).append(effect)
        return list(_steps(tx, root, effects))


def _steps(tx: Tx, root: str, effects: Mapping[str, list[str]]) -> list[Step]:
    found: list[Step] = []
    waiting = [(root, 0)]
    while waiting:
        uuid, depth = waiting.pop()
        found.append(_step(tx, soil.get(tx, uuid), depth=depth))
        items = [soil.get(tx, one) for one in effects.get(uuid, ()) if soil.exists(tx, one)]
        items.sort(key=lambda item: -item.seq)
        waiting += [(item.uuid, depth + 1) for item in items]
    return found


def _step(tx: Tx, item: Item, *, depth: int = 0) -> Step:
    if item.data is None:
        return Step(item.uuid, item.realized_at, None, "(erased)", depth, item.seq)
    fields = fields_of(item)

    def label(uuid: str) -> str:
        artifact = artifacts.find(tx, uuid)
        return artifact.label if artifact else uuid

    what = story.told(item.type, fields, label=label)
    return Step(item.uuid, item.realized_at, story.who(item.type, fields), what, depth, item.seq)


def _use(
    db: Database,
    asked: Asked,
    operation: str,
    params: Mapping[str, Any],
    work: _Operation,
    *,
    tool: str = READER,
) -> Used:
    """Record the call, do it, record the result; a refusal is a result too."""
    with db.transaction() as tx:
        project = projects.still_open(tx, asked.project)
        given = {name: value for name, value in params.items() if value is not None}
        call = _call(tx, asked, tool, operation, {**given, "project": project.uuid})
        branch_edit.joined(tx, project.uuid, call, by=asked.by)
        refused: Refused | None = None
        try:
            with db.transaction():
                outcome = work(tx, project, call)
        except Refused as error:
            refused = error
            outcome = _Outcome({"error": error.code, "message": str(error)})
        result = _result(tx, project, call, outcome, failed=refused is not None, by=asked.by)
        if outcome.looked_at:
            view = Viewport(asked.by.actor, *outcome.looked_at, call.uuid, asked.by.now)
            conversations.move_viewport(tx, project.uuid, view)
    if refused:
        raise refused
    return Used(call.uuid, result.uuid, outcome.passages, outcome.proposal)


def _call(tx: Tx, asked: Asked, tool: str, operation: str, params: Mapping[str, Any]) -> Item:
    call = ToolCall(
        tool=tool,
        operation=operation,
        params=params,
        caller=require_participant(asked.by.actor),
        context=asked.context,
    )
    item = soil.append(tx, call, now=asked.by.now)
    projects.trigger(tx, asked.because_of, item, by=asked.by)
    return item


def _result(
    tx: Tx, project: Project, call: Item, outcome: _Outcome, *, failed: bool, by: By
) -> Item:
    payload = {
        "project": project.uuid,
        "call": call.uuid,
        "status": "error" if failed else "success",
        "output": outcome.output,
        "timestamp": by.now,
    }
    event = SystemEvent(event_type="tool_result", payload=payload)
    result = soil.append(tx, event, now=by.now)
    projects.trigger(tx, call.uuid, result, by=by)
    return result


def _search(tx: Tx, artifact: Artifact, query: str) -> list[Passage]:
    lines = commits.text_at(tx, artifact.uuid, artifact.head).lines
    return [
        _cut(artifact, lines, hit.start, hit.end, score=round(hit.score, 3))
        for hit in passages(lines, query)
    ]


def _passage(tx: Tx, artifact: Artifact, start: int, end: int) -> Passage:
    lines = commits.text_at(tx, artifact.uuid, artifact.head).lines
    if not 1 <= start <= end <= len(lines):
        raise InvalidInput(
            f"{artifact.label} has {len(lines)} lines; {start} to {end} are not among them."
        )
    return _cut(artifact, lines, start, end)


def _cut(
    artifact: Artifact, lines: tuple[str, ...], start: int, end: int, *, score: float | None = None
) -> Passage:
    span = f"{start}" if start == end else f"{start}-{end}"
    reference = f"{artifact.label}:{span}@{artifact.head[:7]}"
    chosen = lines[start - 1 : end]
    return Passage(artifact.label, artifact.head, start, end, chosen, reference, score)


def _looked(tx: Tx, project: Project, seen: Passage) -> _Outcome:
    artifact = artifact_edit.meant(tx, seen.artifact, project.uuid)
    output = {"artifact": seen.artifact, "lines": [seen.start, seen.end]}
    return _Outcome(output, (seen,), looked_at=(artifact.uuid, seen.start, seen.end))


def _with(before: Text, artifact: Artifact, lines: tuple[int, int], new: Text) -> Text:
    start, end = lines
    if not 1 <= start <= end + 1 <= len(before.lines) + 1:
        raise InvalidInput(
            f"{artifact.label} has {len(before.lines)} lines; {start} to {end} are not among them."
        )
    after = (*before.lines[: start - 1], *new.lines, *before.lines[end:])
    return Text(after, unfinished=before.unfinished and bool(after) and after[-1] != "")
