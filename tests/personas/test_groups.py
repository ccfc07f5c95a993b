"""What a persona sees, where what it is told belongs, and what waits for a human's word."""

import pytest
from msgspec.structs import replace

from kithkin.errors import InvalidInput
from kithkin.ids import PersonaId
from kithkin.personas.groups import (
    all_groups,
    checked_primary,
    group_for_moving,
    groups_when_new,
    groups_when_updated,
    home_of,
    needs_word,
    visible_to,
)
from kithkin.personas.model import Persona

STEWARD = Persona(PersonaId("ei"), "Ei", steward=True)
FRODO = Persona(PersonaId("frodo"), "Frodo", group_primary="Fellowship")
GANDALF = Persona(PersonaId("gandalf"), "Gandalf")
GOLLUM = Persona(PersonaId("gollum"), "Gollum", group_primary="Cave", groups_visible=())
EVERYONE = (STEWARD, FRODO, GANDALF, GOLLUM)


def test_a_persona_sees_its_primary_group_and_its_visible_ones() -> None:
    assert visible_to(FRODO, EVERYONE) == {"Fellowship", "*", "frodo"}


def test_the_steward_sees_all_groups_and_nothing_a_persona_holds_for_itself() -> None:
    assert visible_to(STEWARD, EVERYONE) == {"*", "Fellowship", "Cave"}


def test_an_isolated_persona_does_not_see_the_real_world() -> None:
    assert visible_to(GOLLUM, EVERYONE) == {"Cave", "gollum"}


def test_a_group_somebody_was_once_in_stays_visible_to_the_steward() -> None:
    assert "Shire" in all_groups([replace(FRODO, groups_former=("Shire",))])


@pytest.mark.parametrize(
    ("persona", "home", "new", "moved"),
    [
        (STEWARD, "*", ("*",), "Ei"),
        (FRODO, "Fellowship", ("Fellowship",), "Fellowship"),
        (GANDALF, "gandalf", ("*",), "Gandalf"),
        (GOLLUM, "Cave", ("Cave",), "Cave"),
    ],
)
def test_a_new_item_takes_the_primary_group_or_the_real_world_when_there_is_none(
    persona: Persona, home: str, new: tuple[str, ...], moved: str
) -> None:
    assert home_of(persona) == home
    assert groups_when_new(persona) == new
    assert group_for_moving(persona) == moved


def test_an_update_keeps_the_real_world_and_else_adds_the_group_once() -> None:
    assert groups_when_updated(FRODO, ("*",)) == ("*",)
    assert groups_when_updated(FRODO, ()) == ()
    assert groups_when_updated(FRODO, ("Cave",)) == ("Cave", "Fellowship")
    assert groups_when_updated(FRODO, ("Cave", "Fellowship")) == ("Cave", "Fellowship")
    assert groups_when_updated(GANDALF, ("Cave",)) == ("Cave",)
    assert groups_when_updated(STEWARD, ("Cave",)) == ("Cave",)


@pytest.mark.parametrize("groups", [(), ("*",), ("*", "Fellowship")])
def test_a_global_change_by_anybody_but_the_steward_waits(groups: tuple[str, ...]) -> None:
    assert needs_word(FRODO, groups, locked=False)
    assert needs_word(GANDALF, groups, locked=False)
    assert not needs_word(STEWARD, groups, locked=False)


def test_a_change_within_a_group_waits_only_if_a_human_locked_it() -> None:
    assert not needs_word(FRODO, ("Fellowship",), locked=False)
    assert needs_word(FRODO, ("Fellowship",), locked=True)
    assert needs_word(STEWARD, ("*",), locked=True)


def test_the_real_world_is_nobodys_own_group() -> None:
    with pytest.raises(InvalidInput, match="real world"):
        checked_primary(" * ")
