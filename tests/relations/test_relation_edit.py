"""How things are connected, and why anything happened."""

from datetime import timedelta

import pytest

from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.errors import AlreadyRelated, InvalidInput, NotFound, StorageRefused, WouldLoop
from kithkin.relations import store as relations
from kithkin.relations.strength import HALF_LIFE, NOTICE
from kithkin.soil.model import Message, ToolCall
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified


def notes(kin: Kithkin, count: int) -> list[str]:
    return [kin.timeline.note(f"{number}").uuid for number in range(count)]


def test_a_message_a_tool_call_and_a_reply_form_a_chain_back_to_the_message(kin: Kithkin) -> None:
    message = kin.timeline.record(Message(description="Switch to PostgreSQL", sender="user"))
    call = ToolCall(tool="artifact", operation="edit", params={}, caller="agent")
    acted = kin.timeline.record(call, because_of=message.uuid)
    first = kin.timeline.note("goals changed", because_of=acted.uuid)
    second = kin.timeline.note("constraints changed", because_of=acted.uuid)
    trace = kin.relations.trace(first.uuid)
    assert trace.causes == (acted.uuid, message.uuid)
    assert trace.root == message.uuid
    assert set(kin.relations.trace(message.uuid).effects) == {
        (message.uuid, acted.uuid),
        (acted.uuid, first.uuid),
        (acted.uuid, second.uuid),
    }


def test_a_root_is_its_own_root(kin: Kithkin) -> None:
    (only,) = notes(kin, 1)
    assert kin.relations.trace(only).root == only


def test_an_effect_has_one_cause(kin: Kithkin) -> None:
    a, b, c = notes(kin, 3)
    kin.relations.relate("triggers", a, c)
    with pytest.raises(AlreadyRelated, match="triggers"):
        kin.relations.relate("triggers", b, c)


def test_many_replies_go_to_one_message_and_each_reply_to_one(kin: Kithkin) -> None:
    parent, first, second, other = notes(kin, 4)
    kin.relations.relate("replies_to", first, parent)
    kin.relations.relate("replies_to", second, parent)
    with pytest.raises(AlreadyRelated):
        kin.relations.relate("replies_to", first, other)


def test_a_circle_of_causes_is_refused(kin: Kithkin) -> None:
    a, b, c = notes(kin, 3)
    kin.relations.relate("triggers", a, b)
    kin.relations.relate("triggers", b, c)
    with pytest.raises(WouldLoop):
        kin.relations.relate("triggers", c, a)


def test_the_chain_queries_end_even_on_a_circle_somebody_wrote_by_hand(
    kin: Kithkin, db: Database
) -> None:
    a, b = notes(kin, 2)
    kin.relations.relate("triggers", a, b)
    with db.transaction() as tx:
        tx.execute(
            "INSERT INTO unique_relation VALUES ('rel_x', 'triggers', :b, 'item', :a, 'item',"
            " 'now', NULL, 'soil')",
            {"a": a, "b": b},
        )
    assert set(kin.relations.trace(a).effects) == {(a, b), (b, a)}
    assert kin.relations.trace(a).causes == (b, a)


def test_stating_a_relation_twice_gives_the_one_there_is(kin: Kithkin, admin: Admin) -> None:
    a, b = notes(kin, 2)
    first = kin.relations.relate("mentions", a, b, confidence=0.9, metadata={"span": [1, 2]})
    before = admin.head()
    assert kin.relations.relate("mentions", a, b) == first
    assert admin.head() == before


def test_a_belief_can_be_taken_back_and_a_fact_cannot(kin: Kithkin) -> None:
    a, b = notes(kin, 2)
    mention = kin.relations.relate("mentions", a, b)
    fact = kin.relations.relate("contains", a, b)
    kin.relations.unrelate(mention.uuid)
    assert kin.relations.around(a) == [fact]
    with pytest.raises(InvalidInput, match="permanent"):
        kin.relations.unrelate(fact.uuid)
    again = kin.relations.relate("mentions", a, b)
    assert again.uuid != mention.uuid


def test_the_database_refuses_to_change_a_fossil(kin: Kithkin, db: Database) -> None:
    a, b = notes(kin, 2)
    kin.relations.relate("triggers", a, b)
    for statement in (
        "DELETE FROM unique_relation",
        "UPDATE unique_relation SET kind = 'continues'",
    ):
        with pytest.raises(StorageRefused), db.transaction() as tx:
            tx.execute(statement, {})


def test_the_query_layer_of_the_specification_answers(kin: Kithkin, db: Database) -> None:
    a, b, c = notes(kin, 3)
    kin.relations.relate("triggers", a, b)
    kin.relations.relate("supersedes", c, a)
    kin.relations.relate("mentions", a, b)
    kin.relations.relate("mentions", a, c)
    with db.snapshot() as tx:
        assert relations.get_triggering_item(tx, b) == a
        assert relations.get_triggering_item(tx, a) is None
        assert relations.get_superceding_item(tx, a) == c
        assert set(relations.get_mentions(tx, a)) == {b, c}
        assert relations.root(tx, b) == a


def test_relations_join_items_entities_and_fragments_that_are_there(kin: Kithkin) -> None:
    (note,) = notes(kin, 1)
    person = kin.entities.add("thing", {"name": "Alice"})
    edge = kin.relations.relate("mentions", note, person.uuid)
    assert (edge.source.type, edge.target.type) == ("item", "entity")
    other = kin.timeline.note("x").uuid
    assert kin.relations.relate("mentions", other, f"{note}#^a7f").target.type == "fragment"
    with pytest.raises(NotFound):
        kin.relations.relate("mentions", note, "entity_none")


def test_a_sweep_says_first_what_it_would_do_and_does_nothing(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    a, b = notes(kin, 2)
    edge = kin.relations.relate("mentions", a, b)
    clock.advance(days=HALF_LIFE.days * 4)
    before = admin.head()
    assert admin.sweep().nominated == (edge.uuid,)
    assert admin.sweep().nominated == (edge.uuid,)
    assert admin.head() == before


def test_a_weak_relation_is_nominated_and_a_week_later_a_fossil(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    a, b = notes(kin, 2)
    edge = kin.relations.relate("mentions", a, b, confidence=0.5, metadata={"span": [0, 3]})
    clock.advance(days=HALF_LIFE.days * 4)
    assert admin.sweep(dry_run=False).nominated == (edge.uuid,)
    clock.advance(days=NOTICE.days, seconds=-1)
    assert admin.sweep(dry_run=False).nothing
    clock.advance(seconds=1)
    assert admin.sweep(dry_run=False).fossilised_relations == (edge.uuid,)
    (fossil,) = kin.relations.around(a)
    assert fossil.layer == "soil"
    assert (fossil.uuid, fossil.realized_at, fossil.confidence) == (
        edge.uuid,
        edge.realized_at,
        0.5,
    )
    with pytest.raises(InvalidInput, match="permanent"):
        kin.relations.unrelate(edge.uuid)
    assert isinstance(admin.verify(), Verified)


def test_looking_at_a_relation_keeps_it_alive(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    a, b = notes(kin, 2)
    kin.relations.relate("mentions", a, b)
    clock.advance(days=HALF_LIFE.days * 4)
    admin.sweep(dry_run=False)
    kin.timeline.show(a)
    kin._acting.flush()  # noqa: SLF001 - what closing does
    clock.advance(days=NOTICE.days)
    assert admin.sweep(dry_run=False).fossilised_relations == ()


def test_an_entity_nobody_refers_to_rests_and_wakes_when_somebody_does(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    lonely = kin.entities.add("place", {"name": "Attic"})
    clock.advance(days=HALF_LIFE.days * 4)
    admin.sweep(dry_run=False)
    clock.advance(days=NOTICE.days)
    assert admin.sweep(dry_run=False).fossilised_entities == (lonely.uuid,)
    assert kin.entities.show(lonely.uuid).data == {"name": "Attic", "fossil": True}
    assert admin.sweep(dry_run=False).nothing
    (note,) = notes(kin, 1)
    kin.relations.relate("mentions", note, lonely.uuid)
    assert admin.sweep(dry_run=False).woken_entities == (lonely.uuid,)
    assert kin.entities.show(lonely.uuid).data == {"name": "Attic"}


def test_an_entity_somebody_refers_to_does_not_rest(
    kin: Kithkin, admin: Admin, clock: FixedClock
) -> None:
    place = kin.entities.add("place", {"name": "Home"})
    (note,) = notes(kin, 1)
    edge = kin.relations.relate("mentions", note, place.uuid)
    clock.advance(days=HALF_LIFE.days * 4)
    assert admin.sweep(dry_run=False).nominated == (edge.uuid,)


def test_a_sweep_logs_what_it_did(kin: Kithkin, admin: Admin, clock: FixedClock) -> None:
    a, b = notes(kin, 2)
    edge = kin.relations.relate("mentions", a, b)
    clock.advance(days=HALF_LIFE.days * 4)
    admin.sweep(dry_run=False)
    (shown,) = (s for s in kin.timeline.list().items if s.item.type == "SystemEvent")
    assert edge.uuid in (shown.item.data or "")
    assert timedelta(days=7) == NOTICE
