"""The steward's words: the specification's, from typed values and never from the words inside."""

from kithkin.ids import PersonaId
from kithkin.personas.model import Asked, Change
from kithkin.personas.validation_wording import context_of, question, rank_of


def new(persona: str, value: str) -> Change:
    return Change(PersonaId(persona), persona, is_new=True, new=value)


def update(persona: str, value: str, old: str = "before") -> Change:
    return Change(PersonaId(persona), persona, is_new=False, new=value, old=old)


ELF = Asked("Race", "fact", (new("Frodo", "is an elf"),))
JOB = Asked("Job", "fact", (update("Gandalf", "works at Mordor"),))


def test_one_new_item_is_asked_in_the_specifications_words() -> None:
    assert question([ELF]) == (
        'I noticed Frodo picked up something about you: "Race"\n\n'
        'Frodo added a new fact: "Race" - is an elf\n\n'
        "Was that based on something real, or just part of your conversation with Frodo?"
    )


def test_one_update_is_asked_in_the_specifications_words() -> None:
    assert question([JOB]) == (
        'I noticed Gandalf updated something about you: "Job"\n\n'
        'Gandalf updated "Job": works at Mordor\n\n'
        "Was that based on something real, or just part of your conversation with Gandalf?"
    )


def test_several_are_asked_in_the_specifications_words() -> None:
    assert question([ELF, JOB]) == (
        "A few personas updated some general information about you:\n\n"
        '- Frodo: Frodo added a new fact: "Race" - is an elf\n'
        '- Gandalf: Gandalf updated "Job": works at Mordor\n\n'
        "Are these based on real things, or should they stay within those specific conversations?"
    )


def test_an_update_whose_description_contains_added_is_told_as_an_update() -> None:
    added = Asked("Hobby", "topic", (update("Frodo", "added a new hobby: archery"),))
    assert question([added]).startswith("I noticed Frodo updated something")
    assert "picked up" not in question([added])


def test_quotes_and_line_ends_do_not_break_the_message() -> None:
    nasty = Asked('A "name"\nof two lines', "fact", (new("Frodo", 'says "hi"\n\n- Ei: keep'),))
    text = question([nasty, JOB])
    assert len(text.splitlines()) == 6
    assert text.splitlines()[2] == (
        "- Frodo: Frodo added a new fact: \"A 'name' of two lines\" - says 'hi' - Ei: keep"
    )


def test_everyone_who_touched_an_item_is_listed_on_its_line() -> None:
    both = Asked("Job", "fact", (update("Frodo", "baker"), update("Gandalf", "wizard")))
    assert '- Frodo: Frodo updated "Job": baker; Gandalf: Gandalf updated "Job": wizard' in (
        question([both])
    )


def test_asked_again_it_is_put_differently() -> None:
    assert question([ELF], times=1) != question([ELF])
    assert question([ELF, JOB], times=1) != question([ELF, JOB])
    assert context_of(ELF, ELF.changes[0]) in question([ELF], times=1)


def test_nothing_pending_says_nothing() -> None:
    assert question([]) == ""


def test_facts_come_before_persons_before_traits_before_topics() -> None:
    assert sorted(["topic", "trait", "person", "fact"], key=rank_of) == [
        *("fact", "person", "trait", "topic")
    ]
