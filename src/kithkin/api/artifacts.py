"""The facades of artifacts: documents and their commits, what refers to them, reading together."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kithkin.adapters import git
from kithkin.api.acting import Acting
from kithkin.artifacts import artifact_edit, artifact_history, proposals
from kithkin.artifacts.artifact_edit import NO_REASON, Why, Written
from kithkin.artifacts.artifact_history import Difference, Replayed, Shown
from kithkin.artifacts.model import Artifact, Blame, Commit, Conflicted, Proposal
from kithkin.conversations import projects, reader, reference_lookup
from kithkin.conversations.model import Resolved
from kithkin.conversations.reader import Asked, Purpose, Status, Step, Used
from kithkin.conversations.reference_lookup import Backlink
from kithkin.language.model import Rendered
from kithkin.ports import PastVersion
from kithkin.soil.ledger import Broken


class Artifacts:
    """Versioned documents of a project. `said` is a label, or an id; `label@commit` a version."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def create(
        self,
        label: str,
        content: str = "",
        *,
        project: str | None = None,
        because_of: str | None = None,
    ) -> Artifact:
        """Make an artifact; its label is unique in the project."""
        by, why = self._acting.by(), Why(because_of)
        return artifact_edit.create(
            self._acting.realm, project, label, by=by, content=content, why=why
        )

    def edit(
        self,
        said: str,
        content: str,
        *,
        project: str | None = None,
        based_on: str | None = None,
        aside: bool = False,
        why: Why = NO_REASON,
        reason: str | None = None,
    ) -> Written:
        """Give it a new text; with `based_on`, only if the head is still that commit."""
        return artifact_edit.edit(
            self._acting.realm,
            said,
            content,
            by=self._acting.by(reason),
            project=project,
            based_on=based_on,
            aside=aside,
            why=why,
        )

    def operate(
        self,
        said: str,
        ops: str,
        *,
        project: str | None = None,
        based_on: str | None = None,
        texts: Mapping[str, str] | None = None,
        why: Why = NO_REASON,
        reason: str | None = None,
    ) -> Written:
        """Carry out line operations such as `+4:^f9e -5 ~3:^a7f→^k3m`, all or none."""
        return artifact_edit.operate(
            self._acting.realm,
            said,
            ops,
            by=self._acting.by(reason),
            project=project,
            based_on=based_on,
            texts=texts,
            why=why,
        )

    def show(self, said: str, *, project: str | None = None) -> Shown:
        """Its text at the head, or at a commit."""
        shown = artifact_history.show(self._acting.realm, said, project=project)
        self._acting.looked_at(shown.artifact.uuid)
        return shown

    def log(
        self, said: str, *, project: str | None = None, everything: bool = False
    ) -> list[Commit]:
        """The commits that lead to a version, newest first."""
        return artifact_history.log(
            self._acting.realm, said, project=project, everything=everything
        )

    def diff(self, old: str, new: str | None = None, *, project: str | None = None) -> Difference:
        """What differs between two versions."""
        return artifact_history.diff(self._acting.realm, old, new, project=project)

    def blame(self, said: str, *, project: str | None = None) -> list[Blame]:
        """For each line the delta that wrote it, the message behind that, and the person."""
        return artifact_history.blame(self._acting.realm, said, project=project)

    def revert(
        self,
        said: str,
        commit: str,
        *,
        project: str | None = None,
        only: bool = False,
        reason: str | None = None,
    ) -> Written | Conflicted:
        """Make it what it was at a commit; with `only`, take back what that one commit did."""
        signed = self._acting.by(reason)
        return artifact_edit.revert(
            self._acting.realm, said, commit, by=signed, project=project, only=only
        )

    def merge(
        self,
        said: str,
        commit: str,
        *,
        project: str | None = None,
        content: str | None = None,
        reason: str | None = None,
    ) -> Written | Conflicted:
        """Join a commit that stands beside the head; conflicts are reported, `content` settles."""
        return artifact_edit.merge(
            self._acting.realm,
            said,
            commit,
            by=self._acting.by(reason),
            project=project,
            content=content,
        )

    def relabel(self, said: str, label: str, *, project: str | None = None) -> Artifact:
        """Call it something else; references by the old label go on working."""
        return artifact_edit.relabel(
            self._acting.realm, said, label, by=self._acting.by(), project=project
        )

    def propose(
        self,
        said: str,
        content: str,
        *,
        project: str | None = None,
        based_on: str | None = None,
        reasoning: str | None = None,
        because_of: str | None = None,
    ) -> Proposal:
        """Stage a new text for somebody to accept or reject."""
        return proposals.propose(
            self._acting.realm,
            said,
            content,
            by=self._acting.by(reasoning),
            project=project,
            based_on=based_on,
            reasoning=reasoning,
            because_of=because_of,
        )

    def proposals(
        self, said: str, *, project: str | None = None, everything: bool = False
    ) -> list[Proposal]:
        """The staged edits that wait; or all there ever were."""
        return artifact_history.proposals(
            self._acting.realm, said, project=project, everything=everything
        )

    def accept(self, proposal: str) -> Written | Conflicted:
        """Make a staged edit a commit, merged when the head has moved since."""
        return proposals.accept(self._acting.realm, proposal, by=self._acting.by())

    def reject(self, proposal: str, *, reason: str | None = None) -> Proposal:
        """Turn a staged edit down."""
        return proposals.reject(self._acting.realm, proposal, by=self._acting.by(reason))

    def verify(self, said: str, *, project: str | None = None) -> Replayed | Broken:
        """Replay every delta from nothing and compare each version with its commit."""
        return artifact_history.verify(self._acting.realm, said, project=project)

    def bring_in(
        self, label: str, versions: Sequence[PastVersion], *, project: str | None = None
    ) -> Written:
        """Make an artifact with a past: each version a commit by its author at its time."""
        return artifact_edit.bring_in(
            self._acting.realm, project, label, versions, by=self._acting.by()
        )

    def bring_from_git(
        self, label: str, repository: Path, file: str, *, project: str | None = None
    ) -> Written:
        """Make an artifact of a file's history in a git repository."""
        # The realm first: nobody else's agent gets to look into folders.
        realm = self._acting.realm
        versions = git.file_history(repository, file)
        return artifact_edit.bring_in(realm, project, label, versions, by=self._acting.by())


class References:
    """What texts refer to, and what refers to something."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def parse(self, text: str, *, project: str | None = None) -> list[Resolved]:
        """Every reference in a text, with what it leads to."""
        found = reference_lookup.parse(self._acting.realm, self._home(project), text)
        return self._acting.seen().references(found)

    def resolve(self, reference: str, *, project: str | None = None) -> Resolved:
        """What one reference leads to: its metadata, candidates, or why it leads nowhere."""
        found = reference_lookup.resolve(self._acting.realm, self._home(project), reference)
        return self._acting.seen().references([found])[0]

    def render(self, text: str, *, project: str | None = None) -> Rendered:
        """A text as people read it; `raw` of it is the text again."""
        return reference_lookup.render(text, self.parse(text, project=project))

    def backlinks(self, said: str, *, project: str | None = None) -> list[Backlink]:
        """What refers to a line, wherever it stands now, an artifact, fragment, item or branch."""
        found = reference_lookup.backlinks(self._acting.realm, self._home(project), said)
        return self._acting.seen().backlinks(found)

    def _home(self, project: str | None) -> str:
        with self._acting.realm.snapshot() as tx:
            return projects.meant(tx, project).uuid


class Reader:
    """The ArtifactReader: the same tools for people and agents, each use seen by the others."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def asked(
        self,
        *,
        project: str | None = None,
        context: str | None = None,
        because_of: str | None = None,
    ) -> Purpose:
        """Where a tool is used, what for (`context`, in words for people), and what made one."""
        return Purpose(project, context, because_of)

    def semantic_search(
        self, query: str, *, artifact: str | None = None, asked: Purpose | None = None
    ) -> Used:
        """Find the passages that speak of something, in one artifact or in all."""
        how = self._asked(asked)
        return reader.semantic_search(self._acting.realm, how, query, artifact=artifact)

    def scroll_to(
        self, artifact: str, start: int, end: int, *, asked: Purpose | None = None
    ) -> Used:
        """Look at some lines."""
        return reader.scroll_to(self._acting.realm, self._asked(asked), artifact, start, end)

    def scroll_up(self, n: int, *, asked: Purpose | None = None) -> Used:
        """Look further up."""
        return reader.scroll(self._acting.realm, self._asked(asked), -n)

    def scroll_down(self, n: int, *, asked: Purpose | None = None) -> Used:
        """Look further down."""
        return reader.scroll(self._acting.realm, self._asked(asked), n)

    def note(self, content: str, *, asked: Purpose | None = None) -> Used:
        """Write on the project's scratchpad."""
        return reader.note(self._acting.realm, self._asked(asked), content)

    def select_lines(
        self, artifact: str, start: int, end: int, *, asked: Purpose | None = None
    ) -> Used:
        """Select lines, to refer to them as they are now."""
        return reader.select_lines(self._acting.realm, self._asked(asked), artifact, start, end)

    def propose_edit(
        self,
        artifact: str,
        lines: tuple[int, int],
        content: str,
        *,
        reasoning: str | None = None,
        asked: Purpose | None = None,
    ) -> Used:
        """Stage other words for some lines; `(5, 4)` stages an insertion before line 5."""
        how = self._asked(asked)
        return reader.propose_edit(
            self._acting.realm, how, artifact, lines, content, reasoning=reasoning
        )

    def status(self, participant: str, *, project: str | None = None) -> Status:
        """What a participant is at, on one line, for whoever is not following."""
        return reader.status(self._acting.realm, project, participant)

    def follow(
        self,
        participant: str,
        *,
        project: str | None = None,
        after: int | None = None,
        limit: int = 100,
    ) -> Sequence[Step]:
        """What a participant did after a cursor, in order: a step's `seq` is the next cursor."""
        db = self._acting.realm
        cursor = reader.ledger_end(db) if after is None else after
        found = reader.follow(db, project, participant, after=cursor, limit=limit)
        return self._acting.seen().steps(found)

    def ledger_end(self) -> int:
        """The cursor of now."""
        return reader.ledger_end(self._acting.realm)

    def retrace(self, item: str) -> list[Step]:
        """The whole chain around an item, from what started it, as a story."""
        return self._acting.seen().steps(reader.retrace(self._acting.realm, item))

    def _asked(self, purpose: Purpose | None) -> Asked:
        what = purpose or Purpose()
        by = self._acting.by()
        return Asked(what.project, by, context=what.context, because_of=what.because_of)
