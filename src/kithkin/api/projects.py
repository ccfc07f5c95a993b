"""The facades of projects: what is worked on, and the branches of the talk about it."""

from collections.abc import Sequence
from pathlib import Path

from kithkin.api.acting import Acting
from kithkin.conversations import branch_edit, projects
from kithkin.conversations.branch_edit import Reopened, Said, View
from kithkin.conversations.model import Frame, Log, Project, Tree
from kithkin.conversations.projects import Overview
from kithkin.core.model import Entity
from kithkin.upkeep import project_folder
from kithkin.upkeep.project_folder import Taken


class Projects:
    """Bodies of work, by name or id. Where only one is open, it need not be named."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def create(self, name: str) -> Project:
        """Begin a project, with its first branch."""
        return projects.create(self._acting.realm, name, by=self._acting.by())

    def list(self) -> list[Project]:
        """Every project, by name."""
        return projects.listed(self._acting.realm)

    def show(self, project: str | None = None) -> Overview:
        """A project with its branches, artifacts, participants and scratchpad."""
        return projects.overview(self._acting.realm, project)

    def close(self, project: str) -> Project:
        """Close a project: its organisational relations become facts."""
        return projects.close(self._acting.realm, project, by=self._acting.by())

    def tree(self, project: str | None = None) -> Sequence[Tree]:
        """The branches as they grow from each other."""
        return branch_edit.branch_tree(self._acting.realm, project)

    def scratchpad(self, project: str | None = None) -> Entity | None:
        """The notes participants share while they work."""
        return projects.scratchpad(self._acting.realm, project)

    def export(self, folder: Path, project: str | None = None) -> Taken:
        """Write a project as the specification's folder."""
        home = projects.overview(self._acting.realm, project).project
        return self._acting.seen().export(home.uuid, folder)

    def import_(self, folder: Path) -> Taken:
        """Take in such a folder, ids and times as they are."""
        return project_folder.take_in(self._acting.realm, folder, by=self._acting.by())


class Branches:
    """The conversation of a project: branches that fork, collapse and are taken up again."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def fork(
        self,
        *,
        project: str | None = None,
        branch: str | None = None,
        at: str | None = None,
    ) -> Log:
        """A new branch from any item, or from the end; whoever forks stands on it."""
        by = self._acting.by()
        return branch_edit.fork(self._acting.realm, project, by=by, branch=branch, at=at)

    def append(
        self,
        text: str,
        *,
        project: str | None = None,
        because_of: str | None = None,
        replies_to: str | None = None,
        recipient: str | None = None,
    ) -> Said:
        """Say something where one stands."""
        return branch_edit.append(
            self._acting.realm,
            project,
            text,
            by=self._acting.by(),
            because_of=because_of,
            replies_to=replies_to,
            recipient=recipient,
        )

    def append_item(self, item: str, *, project: str | None = None) -> Log:
        """Put an item that is there already where one stands."""
        return branch_edit.append_item(self._acting.realm, project, item, by=self._acting.by())

    def go(self, branch: str) -> Frame:
        """Stand on another branch."""
        return branch_edit.go(self._acting.realm, branch, by=self._acting.by())

    def can_collapse(self, branch: str) -> bool:
        """Whether nothing that grows from a branch goes on."""
        return branch_edit.collapsible(self._acting.realm, branch)

    def collapse(self, branch: str, summary: str) -> Log:
        """Put a branch behind a summary; whoever stood there stands on its parent."""
        return branch_edit.collapse(self._acting.realm, branch, summary, by=self._acting.by())

    def reopen(self, branch: str) -> Reopened:
        """Take up a collapsed branch in a new one; the old one stays as it is."""
        return branch_edit.reopen(self._acting.realm, branch, by=self._acting.by())

    def show(self, branch: str) -> View:
        """What a branch shows: the parent's part up to the fork, and its own."""
        return self._acting.seen().branch(branch_edit.show(self._acting.realm, branch))

    def frames(self, project: str | None = None) -> list[Frame]:
        """Where everybody stands."""
        return branch_edit.frames(self._acting.realm, project)

    def meant(
        self,
        branch: str | None = None,
        *,
        project: str | None = None,
    ) -> str:
        """A branch by its number in the stack or the start of its id; else where one stands."""
        who = self._acting.actor
        return branch_edit.branch_meant(self._acting.realm, project, branch, participant=who)

    def gist(self, branch: str) -> str:
        """A branch in a few words: its summary, or how it begins."""
        meant = branch_edit.show(self._acting.realm, branch).log
        return self._acting.seen().gist(meant.uuid)
