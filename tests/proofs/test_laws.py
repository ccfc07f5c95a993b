"""Whatever order things happen in, the laws hold."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.clock import moment
from kithkin.db import Database
from kithkin.disclosure.explore import Wanted
from kithkin.errors import AlreadyRelated, Refused, UndoRefused, WouldLoop
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.proofs.machine import run_machine
from tests.upkeep.test_verify import dump

values = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.lists(st.integers(0, 3), max_size=4)
)
data = st.dictionaries(st.sampled_from(["a", "b", "c"]), values, min_size=1, max_size=3)


class Realm(RuleBasedStateMachine):
    """A realm beside a plain model of what it should hold."""

    open_database: Callable[[], Database]
    items = Bundle("items")
    entities = Bundle("entities")

    @initialize()
    def start(self) -> None:
        self.db = type(self).open_database()
        self.clock = FixedClock()
        self.kin = Kithkin(Acting(self.db, actor="owner", clock=self.clock, sees_all=True))
        self.admin = Admin(
            Acting(self.db, actor="owner", clock=self.clock, sees_all=True), where=""
        )
        self.believed: dict[str, dict[str, Any] | None] = {}
        self.versions: dict[str, list[dict[str, Any]]] = {}
        self.told: set[str] = set()
        self.head = self.admin.head()

    @rule(
        target=items, text=st.text(min_size=1).filter(str.strip).filter(lambda t: "\x00" not in t)
    )
    def note(self, text: str) -> str:
        item = self.kin.timeline.note(text)
        self.told.add(item.uuid)
        return str(item.uuid)

    @rule(target=entities, fields=data)
    def add(self, fields: dict[str, Any]) -> str:
        made = self.kin.entities.add("thing", fields)
        self.believed[made.uuid] = {k: v for k, v in fields.items() if v is not None}
        self.versions[made.uuid] = [self.believed[made.uuid] or {}]
        return str(made.uuid)

    @rule(uuid=entities, fields=data)
    def change(self, uuid: str, fields: dict[str, Any]) -> None:
        before = self.believed[uuid]
        if before is None:
            with pytest.raises(Refused):
                self.kin.entities.change(uuid, fields)
            return
        self._became(uuid, self.kin.entities.change(uuid, fields), {**before, **fields})

    @rule(uuid=entities, pick=st.integers(0, 100))
    def revert(self, uuid: str, pick: int) -> None:
        if self.believed[uuid] is None:
            return
        past = self.versions[uuid]
        version = pick % len(past) + 1
        self._became(uuid, self.kin.entities.revert(uuid, version), past[version - 1])

    def _became(self, uuid: str, after: Any, fields: dict[str, Any]) -> None:
        now = {k: v for k, v in fields.items() if v is not None}
        if after.version > len(self.versions[uuid]):
            self.versions[uuid].append(now)
        self.believed[uuid] = now

    @rule(item=consumes(items), wait=st.integers(0, 400))
    def undo(self, item: str, wait: int) -> None:
        self.clock.advance(seconds=wait)
        age = (self.clock.now() - _moment(self.kin, item)).total_seconds()
        if age > 300:
            with pytest.raises(UndoRefused):
                self.kin.timeline.undo(item)
        else:
            self.kin.timeline.undo(item)
            self.told.discard(item)

    @rule(item=items)
    def erase_item(self, item: str) -> None:
        self.admin.erase(item)

    @rule(uuid=entities)
    def erase_entity(self, uuid: str) -> None:
        self.admin.erase(uuid)
        self.believed[uuid] = None

    @rule(
        one=items,
        other=items,
        kind=st.sampled_from(["triggers", "replies_to", "mentions", "contains"]),
    )
    def relate(self, one: str, other: str, kind: str) -> None:
        try:
            self.kin.relations.relate(kind, one, other)
        except (AlreadyRelated, WouldLoop):
            pass
        except Refused:
            assert one == other

    @rule(item=items, day=st.integers(1, 28))
    def correct(self, item: str, day: int) -> None:
        self.kin.timeline.correct(item, at=self.clock.now().replace(day=day))

    @rule(days=st.integers(0, 200))
    def sweep(self, days: int) -> None:
        self.clock.advance(days=days)
        swept = self.admin.sweep(dry_run=False)
        for uuid in (*swept.fossilised_entities, *swept.woken_entities):
            now = dict(self.kin.entities.show(uuid).data or {})
            self.believed[uuid] = now
            self.versions[uuid].append(now)

    @invariant()
    def every_belief_is_what_was_said_last(self) -> None:
        for uuid, fields in self.believed.items():
            found = self.kin.entities.show(uuid)
            assert found.data == fields
            if fields is not None:
                assert len(self.kin.entities.history(uuid)) == len(self.versions[uuid])

    @invariant()
    def the_timeline_shows_what_was_told_and_not_undone(self) -> None:
        page = self.kin.timeline.list(Wanted(type="Note", limit=1000))
        assert {shown.item.uuid for shown in page.items} == self.told

    @invariant()
    def the_ledger_only_grows_and_verifies(self) -> None:
        found = self.admin.verify(against=self.head)
        assert isinstance(found, Verified), found
        self.head = self.admin.head()

    def teardown(self) -> None:
        if hasattr(self, "db"):
            before = dump(self.db)
            assert self.admin.rebuild().repaired is None
            assert dump(self.db) == before
            self.db.close()


def _moment(kin: Kithkin, item: str) -> datetime:
    return moment(kin.timeline.show(item).shown.item.realized_at)


def test_the_laws_hold_over_any_sequence_of_events(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    embedded = place[1] == "kithkin"
    examples = (300 if embedded else 60) if full else (12 if embedded else 4)
    runs = run_machine(Realm, place, examples=examples, steps=30)
    assert runs >= examples
    print(f"\n{runs} random realms of up to 30 events each: every law held")
