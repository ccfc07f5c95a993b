"""Whatever is edited, merged, forked and collapsed, every version and every branch stays."""

from collections.abc import Callable
from contextlib import suppress

import hypothesis.strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.artifacts.artifact_edit import Written
from kithkin.artifacts.artifact_history import Replayed
from kithkin.artifacts.model import Conflicted
from kithkin.artifacts.ops import content_of
from kithkin.db import Database
from kithkin.errors import InvalidInput, Refused, StaleEdit
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.artifacts.builders import content
from tests.proofs.machine import run_machine
from tests.upkeep.test_verify import dump

PEOPLE = ("alice", "bob", "agent")


class World(RuleBasedStateMachine):
    """A project of three participants beside what its versions and branches should be."""

    open_database: Callable[[], Database]
    versions = Bundle("versions")
    branches = Bundle("branches")

    @initialize(target=branches)
    def start(self) -> str:
        self.db = type(self).open_database()
        clock = FixedClock()
        self.kin = {
            name: Kithkin(Acting(self.db, actor=name, clock=clock, sees_all=True))
            for name in PEOPLE
        }
        self.admin = Admin(Acting(self.db, actor="owner", clock=clock), where="")
        self.anyone = self.kin["alice"]
        self.anyone.projects.create("World")
        self.anyone.artifacts.create("doc", "start\n")
        self.texts = {self.anyone.artifacts.show("doc").commit: "start\n"}
        self.said: dict[str, list[str]] = {}
        (root,) = self.anyone.projects.show().stack
        return str(root.uuid)

    @rule(target=versions, who=st.sampled_from(PEOPLE), text=content)
    def edited(self, who: str, text: str) -> str:
        try:
            done = self.kin[who].artifacts.edit("doc", text)
        except InvalidInput:
            return self.anyone.artifacts.show("doc").commit
        self.texts[done.commit.commit] = text
        return done.commit.commit

    @rule(target=versions, base=versions, who=st.sampled_from(PEOPLE), text=content)
    def edited_aside(self, base: str, who: str, text: str) -> str:
        with suppress(InvalidInput):
            done = self.kin[who].artifacts.edit("doc", text, based_on=base, aside=True)
            self.texts[done.commit.commit] = text
            return done.commit.commit
        return base

    @rule(side=versions, who=st.sampled_from(PEOPLE))
    def merged(self, side: str, who: str) -> None:
        with suppress(InvalidInput):
            found = self.kin[who].artifacts.merge("doc", side)
            assert isinstance(found, Written | Conflicted)
            if isinstance(found, Written):
                self.texts[found.commit.commit] = content_of(self.anyone.artifacts.show("doc").text)

    @rule(base=versions, text=content)
    def edited_stale(self, base: str, text: str) -> None:
        head = self.anyone.artifacts.show("doc").commit
        try:
            done = self.kin["bob"].artifacts.edit("doc", text, based_on=base)
        except StaleEdit:
            assert base != head
        except InvalidInput:
            assert base == head
        else:
            assert base == head
            self.texts[done.commit.commit] = text

    @rule(back=versions)
    def reverted(self, back: str) -> None:
        with suppress(InvalidInput):
            done = self.anyone.artifacts.revert("doc", back)
            assert isinstance(done, Written)
            self.texts[done.commit.commit] = self.texts[back]

    @rule(who=st.sampled_from(PEOPLE), words=st.sampled_from(["Yes. No.", "doc:1", "^a7f", "a"]))
    def spoke(self, who: str, words: str) -> None:
        try:
            said = self.kin[who].branches.append(words)
        except Refused:
            standing = self.anyone.branches.show(self.kin[who].branches.meant())
            assert not standing.log.active
        else:
            self.said.setdefault(said.log.uuid, []).append(said.item.uuid)

    @rule(target=branches, who=st.sampled_from(PEOPLE))
    def forked(self, who: str) -> str:
        with suppress(Refused):
            return str(self.kin[who].branches.fork().uuid)
        return self.kin[who].branches.meant()

    @rule(branch=branches, who=st.sampled_from(PEOPLE))
    def collapsed(self, branch: str, who: str) -> None:
        may = self.anyone.branches.can_collapse(branch)
        try:
            self.kin[who].branches.collapse(branch, "That was that.")
        except Refused:
            assert not may
        else:
            assert may

    @rule(target=branches, branch=branches, who=st.sampled_from(PEOPLE))
    def reopened(self, branch: str, who: str) -> str:
        with suppress(Refused):
            return str(self.kin[who].branches.reopen(branch).log.uuid)
        return branch

    @invariant()
    def every_version_is_what_was_written(self) -> None:
        for commit, text in self.texts.items():
            assert content_of(self.anyone.artifacts.show(f"doc@{commit}").text) == text

    @invariant()
    def what_was_said_stays_where_it_was_said(self) -> None:
        for branch, items in self.said.items():
            shown = self.anyone.branches.show(branch)
            own = [item.uuid for item in shown.items[len(shown.items) - shown.own :]]
            assert [uuid for uuid in own if uuid in items] == items

    @invariant()
    def nothing_goes_on_below_a_collapsed_branch_and_nobody_stands_on_one(self) -> None:
        stack = {log.uuid: log for log in self.anyone.projects.show().stack}
        for log in stack.values():
            parent = stack.get(log.parent_uuid or "")  # type: ignore[call-overload]  # ids are texts
            assert not (log.active and parent and not parent.active)
        for frame in self.anyone.branches.frames():
            log = stack[frame.branch_uuid]  # type: ignore[index]  # the same
            assert log.active or log.parent_uuid is None

    def teardown(self) -> None:
        if hasattr(self, "db"):
            assert isinstance(self.anyone.artifacts.verify("doc"), Replayed)
            assert isinstance(self.admin.verify(), Verified)
            before = dump(self.db)
            assert self.admin.rebuild().repaired is None
            assert dump(self.db) == before
            self.db.close()


def test_the_laws_of_projects_hold_whatever_is_done(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    embedded = place[1] == "kithkin"
    examples = (150 if embedded else 40) if full else (10 if embedded else 3)
    runs = run_machine(World, place, examples=examples, steps=25)
    assert runs >= examples
    print(f"\n{runs} random projects of up to 25 events each: every law of projects held")
