"""Look at artifacts: a version, its history, what differs, and who stands behind each line."""

from functools import partial

from msgspec import Struct

from kithkin.artifacts import artifact_edit, commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.diff import hunks
from kithkin.artifacts.history import ancestors, commit_of, origins, replayed
from kithkin.artifacts.model import Artifact, Blame, Commit, Hunk, Proposal, Text
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Address
from kithkin.db import Database, Tx
from kithkin.ids import PersonId
from kithkin.people import store as people
from kithkin.relations import store as relations
from kithkin.soil import store as soil
from kithkin.soil.content import fields_of
from kithkin.soil.ledger import Broken
from kithkin.soil.model import Item


class Shown(Struct, frozen=True):
    """A version of an artifact."""

    artifact: Artifact
    commit: str
    text: Text


class Difference(Struct, frozen=True):
    """Two versions and what differs between them."""

    old: str
    new: str
    hunks: tuple[Hunk, ...]
    unfinished: tuple[bool, bool] = (False, False)
    """Whether the last line lacks its newline, in the old one and in the new one."""


class Replayed(Struct, frozen=True, tag=True):
    """Every version came out as its commit says."""

    commits: int
    head: str


def show(db: Database, said: str, *, project: str | None = None) -> Shown:
    """An artifact at its head, or at a commit: `goals_doc@c4f2a1b`."""
    with db.snapshot() as tx:
        return version(tx, said, project=project)


def version(tx: Tx, said: str, *, project: str | None = None) -> Shown:
    """The version somebody names, as `label` or `label@commit`."""
    label, _, start = said.partition("@")
    artifact = artifact_edit.meant(tx, label, project)
    name = commits.find(tx, artifact, start).commit if start else artifact.head
    return Shown(artifact, name, commits.text_at(tx, artifact.uuid, name))


def log(
    db: Database, said: str, *, project: str | None = None, everything: bool = False
) -> list[Commit]:
    """The commits that lead to a version, newest first; or every commit, those beside it too."""
    with db.snapshot() as tx:
        shown = version(tx, said, project=project)
        there = commits.all_of(tx, shown.artifact.uuid)
        leading = ancestors({one.commit: one for one in there}, shown.commit)
        return [one for one in reversed(there) if everything or one.commit in leading]


def diff(
    db: Database, old: str, new: str | None = None, *, project: str | None = None
) -> Difference:
    """What differs between two versions; the head is the new one when none is named."""
    with db.snapshot() as tx:
        before = version(tx, old, project=project)
        after = version(tx, new or before.artifact.uuid, project=project)
        found = tuple(hunks(before.text.lines, after.text.lines))
        ends = (before.text.unfinished, after.text.unfinished)
        return Difference(before.commit, after.commit, found, ends)


def blame(db: Database, said: str, *, project: str | None = None) -> list[Blame]:
    """For each line the delta that wrote it, the message behind that, and the person."""
    with db.snapshot() as tx:
        shown = version(tx, said, project=project)
        there = commits.all_of(tx, shown.artifact.uuid)
        text_at = partial(commits.text_at, tx, shown.artifact.uuid)
        written_by = origins(there, shown.commit, text_at)
        by_name = {one.commit: one for one in there}
        behind = {name: _behind(tx, by_name[name]) for name in set(written_by)}
        lines = enumerate(zip(shown.text.lines, written_by, strict=True), start=1)
        return [
            _blame(number, line, by_name[name], *behind[name]) for number, (line, name) in lines
        ]


def proposals(
    db: Database, said: str, *, project: str | None = None, everything: bool = False
) -> list[Proposal]:
    """The staged edits that wait for somebody; or all there ever were."""
    with db.snapshot() as tx:
        artifact = artifact_edit.meant(tx, said, project)
        return artifacts.proposals(tx, artifact.uuid, pending=not everything)


def verify(db: Database, said: str, *, project: str | None = None) -> Replayed | Broken:
    """Replay every delta from nothing and compare each version with its commit and snapshot."""
    with db.snapshot() as tx:
        artifact = artifact_edit.meant(tx, said, project)
        there = commits.all_of(tx, artifact.uuid)
        for one, text in replayed(there):
            found = commit_of(text, one.parents)
            kept = commits.snapshot(tx, artifact.uuid, one.commit)
            if found != one.commit or (kept is not None and kept != text):
                where = f"{artifact.label}, commit {one.commit[:7]} (item {one.seq})"
                return Broken(where=where, expected=one.commit, found=found)
        return Replayed(len(there), artifact.head)


def _blame(
    number: int, line: str, commit: Commit, message: Item | None, person: PersonId | None
) -> Blame:
    return Blame(
        line=number,
        text=line,
        commit=commit.commit,
        delta=commit.item,
        actor=commit.actor,
        at=commit.at,
        message=message.uuid if message else None,
        said_by=fields_of(message).get("sender") if message else None,
        person=person,
    )


def _behind(tx: Tx, commit: Commit) -> tuple[Item | None, PersonId | None]:
    """The nearest message that caused a delta, and whoever said it or else made the change."""
    causes = (soil.get(tx, cause) for cause in relations.causes(tx, commit.item))
    message = next((item for item in causes if item.type == "Message"), None)
    who = fields_of(message).get("sender") if message else commit.actor
    return message, _person(tx, who or "")


def _person(tx: Tx, participant: str) -> PersonId | None:
    """The person a participant is: named by id, or by an address of theirs."""
    known = people.get(tx, participant)
    if known:
        return known.id
    channel, _, value = participant.partition(":")
    return contacts.person_at(tx, Address(channel, value)) if value else None
