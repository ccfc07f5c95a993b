"""Edit artifacts: every change a commit, based on what its maker saw, with what caused it."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kithkin.artifacts import commits
from kithkin.artifacts import store as artifacts
from kithkin.artifacts.diff import from_text
from kithkin.artifacts.history import SHORT, ancestors, common_ancestor, merged
from kithkin.artifacts.labels import require_label
from kithkin.artifacts.model import (
    EMPTY,
    Artifact,
    Commit,
    Conflicted,
    Draft,
    Merge,
    Text,
)
from kithkin.artifacts.ops import apply, parse, read_text, staged
from kithkin.canonical import require_text
from kithkin.clock import stamp
from kithkin.conversations import branch_edit, projects, reference_lookup
from kithkin.core import store as core
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotFound, Refused, StaleEdit
from kithkin.ports import PastVersion
from kithkin.relations import store as relations
from kithkin.relations.model import KINDS, End
from kithkin.soil import store as soil
from kithkin.soil.fragment_ids import fragment_id


class Why(Struct, frozen=True):
    """What stands behind a change: the item that caused it, the fragments that informed it."""

    because_of: str | None = None
    references: tuple[str, ...] = ()


NO_REASON: Final = Why()


class Written(Struct, frozen=True, tag=True):
    """An artifact after a commit."""

    artifact: Artifact
    commit: Commit


def create(
    db: Database,
    project: str | None,
    label: str,
    *,
    by: By,
    content: str = "",
    why: Why = NO_REASON,
) -> Artifact:
    """A new artifact. Its first content, if there is any, is a commit of its own."""
    kept, text = require_label(label), read(content)
    with db.transaction() as tx:
        home = projects.still_open(tx, project)
        artifact, created = artifacts.add(tx, home.uuid, kept, by=by)
        projects.member(tx, End(artifact.uuid, "artifact"), home.uuid, by=by)
        projects.trigger(tx, why.because_of, created, by=by)
        branch_edit.joined(tx, home.uuid, created, by=by)
        if text.lines:
            artifact = write(tx, artifact, draft_of(tx, artifact, text), by=by, why=why).artifact
    return artifact


def edit(
    db: Database,
    said: str,
    content: str,
    *,
    by: By,
    project: str | None = None,
    based_on: str | None = None,
    aside: bool = False,
    why: Why = NO_REASON,
) -> Written:
    """Give an artifact a new text, if its head is still what the editor saw.

    `aside` commits beside the head, on what is named by `based_on`, for a later merge.
    """
    text = read(content)
    with db.transaction() as tx:
        artifact = changeable(tx, said, project)
        parent = base_of(tx, artifact, based_on, aside=aside)
        draft = replace(draft_of(tx, artifact, text, parent=parent), aside=aside)
        return write(tx, artifact, draft, by=by, why=why)


def operate(
    db: Database,
    said: str,
    ops: str,
    *,
    by: By,
    project: str | None = None,
    based_on: str | None = None,
    texts: Mapping[str, str] | None = None,
    why: Why = NO_REASON,
) -> Written:
    """Carry out ops. Texts are given, or found among the project's fragments and lines."""
    with db.transaction() as tx:
        artifact = changeable(tx, said, project)
        parent = base_of(tx, artifact, based_on)
        before = commits.text_at(tx, artifact.uuid, parent)
        text_of = partial(_text_of, tx, artifact.project, _require_own_ids(texts or {}))
        change = staged(before, parse(ops), text_of=text_of)
        draft = Draft(parents_of(parent), change, apply(before, change))
        return write(tx, artifact, draft, by=by, why=why)


def revert(
    db: Database,
    said: str,
    commit: str,
    *,
    by: By,
    project: str | None = None,
    only: bool = False,
) -> Written | Conflicted:
    """Make an artifact what it was at a commit; with `only`, take back what that commit did."""
    with db.transaction() as tx:
        artifact = changeable(tx, said, project)
        target = commits.find(tx, artifact, commit)
        after = commits.text_at(tx, artifact.uuid, target.commit)
        if only:
            parent = target.parents[0] if target.parents else EMPTY
            before = commits.text_at(tx, artifact.uuid, parent)
            found = merged(after, commits.text_at(tx, artifact.uuid, artifact.head), before)
            if isinstance(found, Conflicted):
                return found
            after = found.text
        verb = "take back" if only else "revert to"
        because = replace(by, reason=by.reason or f"{verb} {target.commit[:SHORT]}")
        return write(tx, artifact, draft_of(tx, artifact, after), by=because)


def merge(
    db: Database,
    said: str,
    commit: str,
    *,
    by: By,
    project: str | None = None,
    content: str | None = None,
    why: Why = NO_REASON,
) -> Written | Conflicted:
    """Join a commit that stands beside the head; `content` settles what conflicts."""
    settled = None if content is None else read(content)
    with db.transaction() as tx:
        artifact = changeable(tx, said, project)
        theirs = commits.find(tx, artifact, commit).commit
        _require_beside(tx, artifact, theirs)
        if settled is None:
            side = commits.text_at(tx, artifact.uuid, theirs)
            found = three_way(tx, artifact, side=theirs, theirs=side)
            if isinstance(found, Conflicted):
                return found
            settled = found.text
        return write_merge(tx, artifact, theirs, settled, by=by, why=why)


def relabel(db: Database, said: str, label: str, *, by: By, project: str | None = None) -> Artifact:
    """Call an artifact something else. The old label goes on leading here while it is unique."""
    kept = require_label(label)
    with db.transaction() as tx:
        artifact = changeable(tx, said, project)
        if kept == artifact.label:
            return artifact
        artifacts.require_free(tx, artifact.project, kept)
        before = [old for old in artifact.label_history if old != kept]
        history = (*before, artifact.label)
        return artifacts.change(tx, replace(artifact, label=kept, label_history=history), by=by)


def bring_in(
    db: Database,
    project: str | None,
    label: str,
    versions: Iterable[PastVersion],
    *,
    by: By,
) -> Written:
    """A new artifact with a past: each version a commit by its author at its time."""
    kept = require_label(label)
    with db.transaction() as tx:
        home = projects.still_open(tx, project)
        artifact, _ = artifacts.add(tx, home.uuid, kept, by=by)
        projects.member(tx, End(artifact.uuid, "artifact"), home.uuid, by=by)
        head, before = EMPTY, Text()
        written: Commit | None = None
        for version in versions:
            text = read(version.content)
            change = from_text(before, text)
            if change.nothing:
                continue
            draft = Draft(parents_of(head), change, text, at=stamp(version.at))
            author = By(actor=version.author, now=by.now, reason=version.message or None)
            written = commits.add(tx, artifact, draft, by=author)
            head, before = written.commit, text
        if written is None:
            raise InvalidInput("There is no version with any text to bring in.")
        return Written(artifacts.move_head(tx, artifact, head, by=by), written)


def meant(tx: Tx, said: str, project: str | None) -> Artifact:
    """The artifact of that id, or of that label in a project."""
    if core.exists(tx, said):
        return artifacts.get(tx, said)
    home = projects.meant(tx, project)
    found = artifacts.named(tx, home.uuid, said.strip())
    if found:
        return found
    if artifacts.called(tx, home.uuid, said.strip()):
        raise Refused(f"Several artifacts of {home.name} were once called {said}. Give the id.")
    by_id = core.starting_with(tx, said) if said.startswith("entity_") else []
    if len(by_id) == 1:
        return artifacts.get(tx, by_id[0])
    raise NotFound(
        f"There is no artifact {said} in {home.name}. `kithkin project show` lists them."
    )


def changeable(tx: Tx, said: str, project: str | None) -> Artifact:
    """An artifact of a project that is still open."""
    artifact = meant(tx, said, project)
    projects.still_open(tx, artifact.project)
    return artifact


def read(content: str) -> Text:
    """A content as lines, if a database can hold it."""
    return read_text(require_text(content, what="The text"))


def parents_of(parent: str) -> tuple[str, ...]:
    """What a commit names as its parents: the first one has none."""
    return () if parent == EMPTY else (parent,)


def base_of(tx: Tx, artifact: Artifact, given: str | None, *, aside: bool = False) -> str:
    """The commit an edit goes on from: the head, unless it is aside."""
    if aside and artifact.head == EMPTY:
        raise InvalidInput(f"{artifact.label} has no commit to stand beside yet: edit it first.")
    if given is None:
        return artifact.head
    is_empty = len(given) >= SHORT and EMPTY.startswith(given)
    named = EMPTY if is_empty else commits.find(tx, artifact, given).commit
    if named != artifact.head and not aside:
        raise StaleEdit(
            current_hash=artifact.head,
            current_version=commits.depth_of(tx, artifact),
            client_hash=named,
            client_version=None,
        )
    return named


def draft_of(tx: Tx, artifact: Artifact, text: Text, *, parent: str | None = None) -> Draft:
    """The commit that gives an artifact a text, on its head or on another commit."""
    base = artifact.head if parent is None else parent
    change = from_text(commits.text_at(tx, artifact.uuid, base), text)
    return Draft(parents_of(base), change, text)


def write(tx: Tx, artifact: Artifact, draft: Draft, *, by: By, why: Why = NO_REASON) -> Written:
    """Append a commit with what caused and informed it, and move the head unless it is aside."""
    if draft.edit.nothing and len(draft.parents) < 2:  # noqa: PLR2004 - a merge has two
        raise InvalidInput(f"This changes nothing: {artifact.label} is like that already.")
    ends = [reference_lookup.fragment_end(tx, artifact.project, said) for said in why.references]
    shown = tuple(end.id.rpartition("#")[2] for end in ends)
    commit = commits.add(tx, artifact, replace(draft, references=shown), by=by)
    item = soil.get(tx, commit.item)
    projects.trigger(tx, why.because_of, item, by=by)
    for end in ends:
        source = End(commit.item, "item")
        relations.relate(tx, KINDS["derived_from"], source=source, target=end, by=by)
    branch_edit.joined(tx, artifact.project, item, by=by)
    if draft.aside:
        return Written(artifact, commit)
    return Written(artifacts.move_head(tx, artifact, commit.commit, by=by), commit)


def three_way(tx: Tx, artifact: Artifact, *, side: str, theirs: Text) -> Merge:
    """The head and another text joined, by what both had where the commit `side` left it."""
    known = {one.commit: one for one in commits.all_of(tx, artifact.uuid)}
    base = common_ancestor(known, artifact.head, side) or EMPTY
    ours = commits.text_at(tx, artifact.uuid, artifact.head)
    return merged(commits.text_at(tx, artifact.uuid, base), ours, theirs)


def write_merge(
    tx: Tx, artifact: Artifact, theirs: str, after: Text, *, by: By, why: Why = NO_REASON
) -> Written:
    """Append a commit with two parents."""
    change = draft_of(tx, artifact, after).edit
    draft = Draft((artifact.head, theirs), change, after)
    because = replace(by, reason=by.reason or f"merge {theirs[:SHORT]}")
    return write(tx, artifact, draft, by=because, why=why)


def _require_beside(tx: Tx, artifact: Artifact, commit: str) -> None:
    known = {one.commit: one for one in commits.all_of(tx, artifact.uuid)}
    if commit in ancestors(known, artifact.head):
        raise InvalidInput(f"{commit[:SHORT]} is part of {artifact.label} already.")


def _require_own_ids(texts: Mapping[str, str]) -> Mapping[str, str]:
    for fragment, text in texts.items():
        if fragment_id(text) != fragment:
            raise InvalidInput(
                f"The text {text[:40]!r} is the fragment {fragment_id(text)}, not {fragment}."
            )
    return texts


def _text_of(tx: Tx, project: str, texts: Mapping[str, str], fragment: str) -> str:
    given = texts.get(fragment)
    return reference_lookup.fragment_text(tx, project, fragment) if given is None else given
