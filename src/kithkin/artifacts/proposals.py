"""Stage edits: propose, and let a person or an agent accept or reject."""

from msgspec.structs import replace

from kithkin.artifacts import artifact_edit, commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.artifact_edit import Why, Written
from kithkin.artifacts.model import (
    EMPTY,
    Accepted,
    Artifact,
    Conflicted,
    Draft,
    Edit,
    Proposal,
    Rejected,
)
from kithkin.artifacts.ops import apply
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput
from kithkin.ids import EntityId
from kithkin.soil import store as soil


def propose(
    db: Database,
    said: str,
    content: str,
    *,
    by: By,
    project: str | None = None,
    based_on: str | None = None,
    reasoning: str | None = None,
    because_of: str | None = None,
) -> Proposal:
    """Stage a new text for somebody to decide about. It may be based on an older commit."""
    text = artifact_edit.read(content)
    with db.transaction() as tx:
        artifact = artifact_edit.changeable(tx, said, project)
        parent = artifact_edit.base_of(tx, artifact, based_on, aside=artifact.head != EMPTY)
        change = artifact_edit.draft_of(tx, artifact, text, parent=parent).edit
        why = (reasoning, because_of)
        return propose_edit(tx, artifact, change, parent=parent, why=why, by=by)


def propose_edit(
    tx: Tx,
    artifact: Artifact,
    change: Edit,
    *,
    parent: str,
    why: tuple[str | None, str | None],
    by: By,
) -> Proposal:
    """Stage an edit, with its reasoning and what caused it."""
    reasoning, because_of = why
    if change.nothing:
        raise InvalidInput(f"This changes nothing: {artifact.label} is like that already.")
    if because_of:
        soil.get(tx, because_of)
    proposal = Proposal(
        uuid=EntityId(""),
        artifact=artifact.uuid,
        based_on=parent,
        edit=change,
        by=by.actor,
        reasoning=reasoning,
        because_of=because_of,
    )
    return artifacts.propose(tx, proposal, by=by)


def accept(db: Database, proposal: str, *, by: By) -> Written | Conflicted:
    """Make a staged edit a commit, merged when the head has moved since it was proposed."""
    with db.transaction() as tx:
        waiting = artifacts.get_proposal(tx, proposal)
        artifacts.require_pending(waiting)
        artifact = artifact_edit.changeable(tx, waiting.artifact, None)
        author = replace(by, actor=waiting.by, reason=waiting.reasoning)
        found = _accepted(tx, artifact, waiting, by=author)
        if isinstance(found, Written):
            decision = Accepted(by.actor, found.commit.commit)
            artifacts.decide(tx, waiting, decision, by=by)
    return found


def reject(db: Database, proposal: str, *, by: By) -> Proposal:
    """Turn a staged edit down."""
    with db.transaction() as tx:
        waiting = artifacts.get_proposal(tx, proposal)
        artifacts.require_pending(waiting)
        return artifacts.decide(tx, waiting, Rejected(by.actor, by.reason), by=by)


def _accepted(tx: Tx, artifact: Artifact, waiting: Proposal, *, by: By) -> Written | Conflicted:
    after = apply(commits.text_at(tx, artifact.uuid, waiting.based_on), waiting.edit)
    draft = Draft(artifact_edit.parents_of(waiting.based_on), waiting.edit, after)
    why = Why(waiting.because_of)
    if artifact.head == waiting.based_on:
        return artifact_edit.write(tx, artifact, draft, by=by, why=why)
    found = artifact_edit.three_way(tx, artifact, side=waiting.based_on, theirs=after)
    if isinstance(found, Conflicted):
        return found
    side = artifact_edit.write(tx, artifact, replace(draft, aside=True), by=by, why=why).commit
    # The merge is the edit's effect: a cause has one place in front of each item.
    joined = replace(by, reason=None)
    return artifact_edit.write_merge(
        tx, artifact, side.commit, found.text, by=joined, why=Why(side.item)
    )
