"""Artifacts' tables: each an entity, found by its labels; and the edits staged for them."""

from typing import Any, Final, assert_never

import msgspec

from kithkin.artifacts import commits
from kithkin.artifacts.labels import Called, meant
from kithkin.artifacts.model import (
    EMPTY,
    Accepted,
    Artifact,
    Decision,
    Pending,
    Proposal,
    Rejected,
)
from kithkin.artifacts.ops import printed
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, Entity
from kithkin.db import Tx
from kithkin.errors import InvalidInput, NotFound, Refused
from kithkin.ids import EntityId
from kithkin.soil import store as soil
from kithkin.soil.model import ArtifactCreated, Item

ARTIFACT: Final = "artifact"
PROPOSAL: Final = "proposal"


def add(
    tx: Tx,
    project: str,
    label: str,
    *,
    by: By,
    uuid: str | None = None,
    history: tuple[str, ...] = (),
) -> tuple[Artifact, Item]:
    """A new document without a line, and the item that says so."""
    require_free(tx, project, label)
    data = {"project": project, "label": label, "head": EMPTY}
    past = {"label_history": [old for old in history if old != label] or None}
    entity = core.add(tx, ARTIFACT, {**data, **past}, by=by, uuid=uuid)
    created = ArtifactCreated(artifact_uuid=entity.uuid, label=label)
    return _artifact(entity), soil.append(tx, created, now=by.now)


def require_free(tx: Tx, project: str, label: str) -> None:
    """Refuse a label that another document of the project goes by now."""
    if any(one.current for one in called(tx, project, label)):
        raise InvalidInput(
            f"There is an artifact {label} in this project already. Choose another label, or "
            "relabel that one."
        )


def get(tx: Tx, uuid: str) -> Artifact:
    """The document with this id."""
    entity = core.get(tx, uuid)
    if entity.type != ARTIFACT:
        raise NotFound(f"{uuid} is no artifact. `kithkin project show` lists a project's.")
    return _artifact(entity)


def find(tx: Tx, uuid: str) -> Artifact | None:
    """The document with this id, if there is one that was not erased."""
    entity = core.get(tx, uuid) if core.exists(tx, uuid) else None
    known = entity is not None and entity.type == ARTIFACT and entity.data is not None
    return _artifact(entity) if entity and known else None


def created_by(tx: Tx, artifact: str) -> list[str]:
    """The item that says a document came to be."""
    rows = tx.execute("SELECT uuid, header FROM item WHERE _type = 'ArtifactCreated'", {})
    return [uuid for uuid, header in rows if msgspec.json.decode(header) == _made(artifact)]


def _made(artifact: str) -> dict[str, str]:
    return {"artifact_uuid": artifact}


def in_project(tx: Tx, project: str) -> list[Artifact]:
    """A project's documents, by label."""
    rows = tx.execute(
        "SELECT artifact FROM artifact_label WHERE project = :project AND current = 1"
        " ORDER BY label",
        {"project": project},
    )
    return [get(tx, row[0]) for row in rows.fetchall()]


def called(tx: Tx, project: str, label: str) -> list[Called]:
    """The documents that go by a label, or once did."""
    rows = tx.execute(
        "SELECT artifact, current FROM artifact_label WHERE project = :project AND label = :label",
        {"project": project, "label": label},
    )
    return [Called(artifact, current=bool(current)) for artifact, current in rows]


def named(tx: Tx, project: str, label: str) -> Artifact | None:
    """The document that a label means in a project."""
    uuid = meant(called(tx, project, label))
    return get(tx, uuid) if uuid else None


def move_head(tx: Tx, artifact: Artifact, commit: str, *, by: By) -> Artifact:
    """The document at another commit."""
    return change(tx, msgspec.structs.replace(artifact, head=commit), by=by)


def change(tx: Tx, artifact: Artifact, *, by: By) -> Artifact:
    """The document with another head or label."""
    data = {
        "project": artifact.project,
        "label": artifact.label,
        "head": artifact.head,
        "label_history": list(artifact.label_history) or None,
    }
    return _artifact(core.change(tx, core.get(tx, artifact.uuid), data, by=by))


def _artifact(entity: Entity) -> Artifact:
    data = core.require_data(entity)
    return Artifact(
        uuid=EntityId(entity.uuid),
        project=data["project"],
        label=data["label"],
        head=data["head"],
        label_history=tuple(data.get("label_history", ())),
    )


def _labels(entity: Entity | None) -> dict[tuple[str, str], bool]:
    if entity is None or entity.data is None:
        return {}
    one = _artifact(entity)
    return {(one.project, old): False for old in one.label_history} | {
        (one.project, one.label): True
    }


def _project(tx: Tx, before: Entity | None, after: Entity) -> None:
    old, new = _labels(before), _labels(after)
    for (project, label), current in old.items():
        if new.get((project, label)) != current:
            tx.execute(
                "DELETE FROM artifact_label WHERE project = :project AND label = :label"
                " AND artifact = :artifact",
                {"project": project, "label": label, "artifact": after.uuid},
            )
    for (project, label), current in new.items():
        if old.get((project, label)) != current:
            tx.execute(
                "INSERT INTO artifact_label (project, label, artifact, current)"
                " VALUES (:project, :label, :artifact, :current)",
                {
                    "project": project,
                    "label": label,
                    "artifact": after.uuid,
                    "current": int(current),
                },
            )
    if after.data is None:
        commits.forget(tx, after.uuid)


def _clear(tx: Tx) -> None:
    tx.execute("DELETE FROM artifact_label", {})


lookup_rows.register(
    ARTIFACT, lookup_rows.Projection(commands="`kithkin artifact`", project=_project, clear=_clear)
)


def propose(tx: Tx, proposal: Proposal, *, by: By) -> Proposal:
    """Stage an edit for somebody to decide about."""
    entity = core.add(tx, PROPOSAL, _proposal_data(proposal), by=by)
    return msgspec.structs.replace(proposal, uuid=EntityId(entity.uuid))


def require_pending(proposal: Proposal) -> None:
    """Refuse to decide twice."""
    match proposal.decision:
        case Accepted(by=by) | Rejected(by=by):
            word = type(proposal.decision).__name__.lower()
            raise Refused(f"{proposal.uuid} was {word} by {by} already. Propose the edit again.")
        case Pending():
            return
        case _:
            assert_never(proposal.decision)


def decide(tx: Tx, proposal: Proposal, decision: Decision, *, by: By) -> Proposal:
    """Accept or reject a staged edit."""
    decided = msgspec.structs.replace(proposal, decision=decision)
    core.change(tx, core.get(tx, proposal.uuid), _proposal_data(decided), by=by)
    return decided


def get_proposal(tx: Tx, uuid: str) -> Proposal:
    """A staged edit by its id."""
    entity = core.get(tx, uuid)
    if entity.type != PROPOSAL:
        raise NotFound(f"{uuid} is no proposal. `kithkin artifact proposals` lists them.")
    return _proposal(entity)


def proposals(tx: Tx, artifact: str, *, pending: bool) -> list[Proposal]:
    """The staged edits of a document; only those that wait, if asked for."""
    rows = tx.execute(
        "SELECT proposal FROM proposal_lookup WHERE artifact = :artifact"
        " AND (pending = 1 OR :all = 1)",
        {"artifact": artifact, "all": int(not pending)},
    )
    entities = [core.get(tx, row[0]) for row in rows.fetchall()]
    return [_proposal(one) for one in sorted(entities, key=lambda one: (one.created_at, one.uuid))]


def _proposal_data(proposal: Proposal) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(proposal)
    del fields["uuid"]
    fields["edit"]["ops"] = printed(proposal.edit.ops)
    return fields


def _proposal(entity: Entity) -> Proposal:
    data = dict(core.require_data(entity))
    edit = msgspec.convert(data.pop("edit"), commits.Delta).edit()
    decision = msgspec.convert(data.pop("decision"), Decision)
    return Proposal(uuid=EntityId(entity.uuid), edit=edit, decision=decision, **data)


def _project_proposal(tx: Tx, before: Entity | None, after: Entity) -> None:
    if before is not None:
        tx.execute("DELETE FROM proposal_lookup WHERE proposal = :uuid", {"uuid": after.uuid})
    if after.data is not None:
        tx.execute(
            "INSERT INTO proposal_lookup (proposal, artifact, pending)"
            " VALUES (:proposal, :artifact, :pending)",
            {
                "proposal": after.uuid,
                "artifact": after.data["artifact"],
                "pending": int(after.data["decision"]["type"] == "pending"),
            },
        )


def _clear_proposals(tx: Tx) -> None:
    tx.execute("DELETE FROM proposal_lookup", {})


lookup_rows.register(
    PROPOSAL,
    lookup_rows.Projection(
        commands="`kithkin artifact accept` and `kithkin artifact reject`",
        project=_project_proposal,
        clear=_clear_proposals,
    ),
)
