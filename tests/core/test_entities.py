"""What is believed: changed by compare-and-swap, with a history that can be read at any point."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.core import lookup_rows
from kithkin.core import store as core
from kithkin.core.model import By, FieldDiff
from kithkin.db import Database
from kithkin.errors import Erased, InvalidInput, NotFound, StaleEdit
from kithkin.soil.model import Extension
from kithkin.testing import FixedClock


def test_a_new_entity_is_version_one_with_no_previous_hash(kin: Kithkin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    assert (made.version, made.previous_hash, made.data) == (1, None, {"name": "Home"})
    assert kin.entities.show(made.uuid) == made


def test_every_change_links_to_the_hash_before(kin: Kithkin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    moved = kin.entities.change(made.uuid, {"name": "House"}, based_on=made.hash)
    assert (moved.previous_hash, moved.version) == (made.hash, 2)
    assert moved.hash != made.hash


def test_an_edit_based_on_an_old_hash_is_refused_with_both_hashes_and_versions(
    kin: Kithkin,
) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    now = kin.entities.change(made.uuid, {"name": "House"})
    with pytest.raises(StaleEdit) as refused:
        kin.entities.change(made.uuid, {"name": "Hut"}, based_on=made.hash, based_on_version=1)
    assert refused.value.details == {
        "current_hash": now.hash,
        "current_version": 2,
        "client_hash": made.hash,
        "client_version": 1,
    }


def test_the_version_is_checked_too_when_it_is_given(kin: Kithkin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    with pytest.raises(StaleEdit):
        kin.entities.change(made.uuid, {"a": 1}, based_on=made.hash, based_on_version=7)


def test_of_two_edits_based_on_the_same_hash_exactly_one_wins(kin: Kithkin) -> None:
    made = kin.entities.add("counter", {"n": 0})

    def edit(number: int) -> bool:
        try:
            kin.entities.change(made.uuid, {"n": number}, based_on=made.hash)
        except StaleEdit:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(edit, range(1, 17)))
    assert won.count(True) == 1
    assert kin.entities.show(made.uuid).version == 2


def test_an_equal_change_changes_nothing(kin: Kithkin, admin: Admin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    before = admin.head()
    assert kin.entities.change(made.uuid, {"name": "Home"}) == made
    assert admin.head() == before


def test_a_revert_to_the_first_state_has_a_new_hash(kin: Kithkin) -> None:
    first = kin.entities.add("place", {"name": "Home"})
    kin.entities.change(first.uuid, {"name": "House"})
    back = kin.entities.revert(first.uuid, 1)
    assert back.data == first.data
    assert back.version == 3
    assert back.hash != first.hash


def test_history_says_who_changed_what_when_and_why(kin: Kithkin, clock: FixedClock) -> None:
    made = kin.entities.add("place", {"name": "Home"}, reason="said so")
    clock.advance(hours=1)
    kin.entities.change(made.uuid, {"name": "House"}, reason="renamed")
    first, second = kin.entities.history(made.uuid)
    assert (first.actor, first.reason) == ("telegram:1", "said so")
    assert second.changes == {"name": ["Home", "House"]}
    assert (second.parent, second.reason) == (first.commit, "renamed")
    assert first.at < second.at


def test_an_entity_can_be_read_as_it_was_at_any_moment(kin: Kithkin, clock: FixedClock) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    then = clock.now()
    clock.advance(days=1)
    kin.entities.change(made.uuid, {"name": "House", "city": "Porto"})
    assert kin.entities.at(made.uuid, then) == {"name": "Home"}
    assert kin.entities.at(made.uuid, clock.now()) == {"name": "House", "city": "Porto"}
    clock.advance(days=-30)
    with pytest.raises(NotFound, match="not there yet"):
        kin.entities.at(made.uuid, clock.now())


def test_a_diff_names_each_field_that_differs(kin: Kithkin) -> None:
    made = kin.entities.add("place", {"name": "Home", "tags": ["a"]})
    kin.entities.change(made.uuid, {"tags": ["a", "b"], "city": "Porto"})
    assert kin.entities.diff(made.uuid, 1, 2) == [
        FieldDiff("city", None, "Porto"),
        FieldDiff("tags", ["a"], ["a", "b"]),
    ]


def test_a_superseded_belief_stays_and_names_its_successor(kin: Kithkin) -> None:
    old = kin.entities.add("fact", {"text": "blue"})
    new = kin.entities.add("fact", {"text": "green"})
    replaced = kin.entities.supersede(old.uuid, superseded_by=new.uuid)
    assert (replaced.superseded_by, replaced.data) == (new.uuid, {"text": "blue"})
    assert replaced.superseded_at == replaced.updated_at
    with pytest.raises(InvalidInput):
        kin.entities.supersede(new.uuid, superseded_by=new.uuid)
    with pytest.raises(NotFound):
        kin.entities.supersede(new.uuid, superseded_by="entity_none")


def test_what_an_entity_was_derived_from_is_part_of_its_hash(kin: Kithkin) -> None:
    item = kin.timeline.note("x")
    with_source = kin.entities.add("fact", {"text": "x"}, derived_from=item.uuid)
    assert with_source.derived_from == item.uuid
    changed = kin.entities.change(with_source.uuid, {"text": "y"})
    assert changed.derived_from == item.uuid


def test_subscribers_each_have_a_cursor_and_never_skip(kin: Kithkin) -> None:
    made = kin.entities.add("place", {"n": 0})
    kin.timeline.note("between")
    for number in (1, 2):
        kin.entities.change(made.uuid, {"n": number})
    first = kin.changes.list(subscriber="a", limit=2)
    assert [notice.version for notice in first] == [1, 2]
    assert [n.version for n in kin.changes.list(subscriber="a", limit=2)] == [1, 2]
    kin.changes.acknowledge("a", first[-1].cursor)
    assert [notice.version for notice in kin.changes.list(subscriber="a")] == [3]
    assert [notice.version for notice in kin.changes.list(subscriber="b")] == [1, 2, 3]
    kin.changes.acknowledge("a", 0)
    assert [notice.version for notice in kin.changes.list(subscriber="a")] == [3]
    assert kin.changes.list(after=first[-1].cursor)[0].old_hash == first[-1].new_hash


def test_ids_read_from_elsewhere_are_kept_verbatim(db: Database) -> None:
    by = By(actor="file", now="2026-01-15T10:00:00.000000+00:00")
    with db.transaction() as tx:
        core.add(tx, "thing", {"name": "Bob"}, by=by, uuid="old-1")
        with pytest.raises(InvalidInput, match="already"):
            core.add(tx, "thing", {"name": "Bob"}, by=by, uuid="old-1")
        assert core.get(tx, "old-1").data == {"name": "Bob"}


def test_an_erased_entity_can_neither_be_read_nor_changed(kin: Kithkin, admin: Admin) -> None:
    made = kin.entities.add("place", {"name": "Home"})
    admin.erase(made.uuid)
    stub = kin.entities.show(made.uuid)
    assert (stub.data, stub.hash) == (None, made.hash)
    assert kin.entities.history(made.uuid)[0].changes is None
    for forbidden in (
        lambda: kin.entities.change(made.uuid, {"name": "x"}),
        lambda: kin.entities.revert(made.uuid, 1),
        lambda: kin.entities.diff(made.uuid, 1, 1),
    ):
        with pytest.raises(Erased):
            forbidden()


@pytest.mark.parametrize(
    "data", [{"uuid": "x"}, {"version": 1}, {"a": float("nan")}, {"a": "half \ud83d"}]
)
def test_data_that_cannot_be_kept_is_refused(kin: Kithkin, data: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        kin.entities.add("place", data)


def test_what_a_domain_keeps_is_not_changed_behind_its_back(kin: Kithkin) -> None:
    item = kin.timeline.note("x")
    belief = kin.timeline.correct(item.uuid, {"mood": "good"})
    with pytest.raises(InvalidInput, match="kithkin correct"):
        kin.entities.change(belief.uuid, {"item": "item_other"})
    with pytest.raises(InvalidInput, match="kithkin relate"):
        kin.entities.add("relation", {})


def test_entities_are_listed_by_type_page_by_page(kin: Kithkin, clock: FixedClock) -> None:
    for number in range(5):
        kin.entities.add("place" if number % 2 else "thing", {"n": number})
        clock.advance(seconds=1)
    assert [e.data for e in kin.entities.list("place")] == [{"n": 1}, {"n": 3}]
    page = kin.entities.list(limit=3)
    rest = kin.entities.list(after=page[-1].uuid)
    assert [(e.data or {})["n"] for e in [*page, *rest]] == [0, 1, 2, 3, 4]


def test_the_look_up_rows_of_a_type_follow_every_change(db: Database, kin: Kithkin) -> None:
    seen: list[tuple[Any, Any]] = []

    def project(_tx: Any, before: Any, after: Any) -> None:
        seen.append((before and before.version, after.version))

    lookup_rows.register("probe", lookup_rows.Projection(project=project, clear=lambda _tx: None))
    made = kin.entities.add("probe", {"n": 0})
    kin.entities.change(made.uuid, {"n": 1})
    assert seen == [(None, 1), (1, 2)]
    assert db.dialect in ("sqlite", "postgres")


def test_numbers_beyond_sixty_four_bits_come_back_as_they_were(kin: Kithkin, admin: Admin) -> None:
    made = kin.entities.add("number", {"n": 10**30, "f": 1e16, "tiny": 5e-324})
    assert kin.entities.show(made.uuid).data == {"n": 10**30, "f": 1e16, "tiny": 5e-324}
    admin.rebuild()
    assert kin.entities.show(made.uuid).hash == made.hash
    kin.timeline.record(Extension("Big", '{"n": 1000000000000000000000000000000}'))
