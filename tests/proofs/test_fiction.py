"""Whatever is played, set, answered and promoted: fiction stays in its group, facts are not lost.

Every value that is ever said is a word of its own, so that a single sight of it through any way of
looking gives away who could see it.
"""

from collections.abc import Callable, Iterator
from itertools import count

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kithkin.db import Database
from kithkin.memories import store as memories
from kithkin.memories.doubts import raised_in
from kithkin.memories.learn import Remembered
from kithkin.memories.profile import Entry
from kithkin.people import store as people
from kithkin.personas.model import Asked
from kithkin.personas.persona_edit import Draft
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.proofs.machine import run_machine
from tests.stage import ME, looked_at, set_up
from tests.upkeep.test_verify import dump

REAL = frozenset(("steward", "Frodo", "Gandalf", "Sam"))
VOICES = ("steward", "Frodo", "Gandalf", "Gollum", "Smeagol")
WATCHES = (*VOICES, "Sam")
TOLD = {
    "steward": REAL,
    "Frodo": frozenset(("steward", "Frodo")),
    "Gandalf": frozenset(("Gandalf",)),
    "Gollum": frozenset(("steward", "Gollum")),
    "Smeagol": frozenset(("Smeagol",)),
}
"""Who may ever see what a voice is told, while nobody has spoken: Sam only listens."""
ITEMS = ("Job", "Home", "Pet")
SENTENCES = (
    "I work at {}",
    "I live in {}",
    "My sister {} likes chess",
    "I like {} and I work at {}",
    "Call me {}",
    "{} is my boss",
    "I'm allergic to {}",
    "My sister is a ranger in {}",
)
VERDICTS = {"keep": "{} is real", "move": "{} is role-play", "remove": "remove {}", "unclear": ""}


class Play(RuleBasedStateMachine):
    """A realm with a cast, beside who may see each word that was ever said."""

    open_database: Callable[[], Database]

    @initialize()
    def start(self) -> None:
        self.db = type(self).open_database()
        self.stage = set_up(self.db, FixedClock())
        self.stage.admin.personas.add(Draft("Sam", group="Shire"))
        self.numbers = count()
        self.may: dict[str, frozenset[str]] = {}
        self.origin: dict[str, str] = {}
        self.holds: dict[str, set[str]] = {}
        self.ids: list[str] = []
        self.confirmed: dict[str, str] = {}

    def word(self, voice: str) -> str:
        """A word nobody has said before, to be seen by whoever sees what that voice is told."""
        made = f"Qx{next(self.numbers)}zor"
        self.may[made], self.origin[made] = TOLD[voice], voice
        return made

    @rule(voice=st.sampled_from(VOICES), sentence=st.sampled_from(SENTENCES))
    def say(self, voice: str, sentence: str) -> None:
        words = [self.word(voice) for _ in range(sentence.count("{}"))]
        said = self.stage.say(sentence.format(*words), voice)
        self.remember(said, words)

    def remember(self, said: Remembered, words: list[str]) -> None:
        self.ids.append(said.heard.item.uuid)
        names = {person.id: person.name for person in said.persons}
        for one in said.learned:
            told = [one.memory.content, one.memory.name or ""]
            told += [names.get(person, "") for person in one.memory.subject_person_ids]
            self.ids.append(one.memory.id)
            self.holds[one.memory.id] = {w for w in self.may if w in " ".join(told)} | (
                {w for w in words if w in " ".join(told)}
            )

    @rule(voice=st.sampled_from(VOICES), name=st.sampled_from(ITEMS), again=st.booleans())
    def put(self, voice: str, name: str, again: bool) -> None:  # noqa: FBT001 - drawn
        known = sorted(self.stage.sees(name, voice))
        value = known[0] if again and known else self.word(voice)
        if value in self.may:
            # Whoever says it too lets it be seen where they say it.
            self.may[value] |= TOLD[voice]
        done = self.stage.kin(voice).profile.set(Entry(name, value), speaker=ME)
        self.ids.append(done.memory.id)
        self.holds[done.memory.id] = {value} & set(self.may)
        if done.memory.doubt is None and value in self.may:
            # Once a play has a group, its own items are changed there at once.
            self.may[value] |= {"steward", voice}
        at_once = done.changed and done.question is None
        if voice == "steward" and at_once and done.memory.groups == ("*",):
            self.confirmed[name] = value

    @precondition(lambda self: self.stage.admin.doubts.list())
    @rule(verdicts=st.lists(st.sampled_from(sorted(VERDICTS)), min_size=10, max_size=10))
    def answer(self, verdicts: list[str]) -> None:
        asked = self.stage.admin.doubts.ask()
        lines = [line for one in asked.questions for line in raised_in(one).lines()]
        parts = [
            VERDICTS[verdict].format(number)
            for number, verdict in enumerate(verdicts[: len(lines)], start=1)
        ]
        for line in lines:
            self.name(str(line.value.memory))
        done = self.stage.admin.doubts.answer(". ".join(part for part in parts if part) or "hm")
        for line, settled, verdict in zip(lines, done, verdicts, strict=False):
            assert settled.verdict == verdict, (parts, done)
            self.settle(line, verdict)

    def name(self, memory: str) -> None:
        """Whoever a memory is about is real with it, under the name they have by then."""
        with self.db.snapshot() as tx:
            about = memories.get(tx, memory).subject_person_ids
            told = " ".join(people.require(tx, person).name for person in about)
        self.holds.setdefault(memory, set()).update(w for w in self.may if w in told)

    def settle(self, line: Asked, verdict: str) -> None:
        value = line.value
        words = self.holds.get(str(value.memory), set()) | {value.new} & set(self.may)
        if verdict == "keep":
            self.become(words, REAL)
            if line.name in ITEMS:
                self.confirmed[line.name] = value.new
        elif verdict == "move":
            self.become(words, frozenset(("steward", value.persona_name)))

    def become(self, words: set[str], voices: frozenset[str]) -> None:
        for word in words:
            self.may[word] |= voices

    @precondition(lambda self: self.stage.kin("Frodo").profile.list(speaker=ME))
    @rule(chosen=st.integers(0, 50))
    def promote(self, chosen: int) -> None:
        known = self.stage.kin("Frodo").profile.list(speaker=ME)
        item = known[chosen % len(known)]
        self.name(item.id)
        made = self.stage.admin.profile.real(item.id)
        self.ids.append(made.id)
        words = self.holds.get(item.id, set()) | ({item.description} & set(self.may))
        self.holds[made.id] = words
        self.become(words, REAL)
        if item.name in ITEMS and not (item.groups == ("*",) and not item.in_doubt):
            self.confirmed[item.name] = item.description

    @invariant()
    def nobody_sees_what_is_not_theirs_at_a_glance(self) -> None:
        for voice in WATCHES if self.may else ():
            kin = self.stage.kin(voice)
            last = " ".join(list(self.may)[-6:])
            told = repr((kin.profile.list(speaker=ME), kin.people.list_all()))
            self.check(voice, told + repr(kin.memories.search(last, speaker=ME)))

    @invariant()
    def what_was_confirmed_is_there(self) -> None:
        for name, value in self.confirmed.items():
            # Sam says nothing, and so holds nothing in doubt: he sees what is confirmed.
            assert self.stage.sees(name, "Sam") == {value}

    def check(self, voice: str, told: str) -> None:
        seen = {word for word, _ in self.found_in(told)}
        wrong = {word: self.origin[word] for word in seen if voice not in self.may[word]}
        assert not wrong, (voice, wrong)

    def found_in(self, told: str) -> Iterator[tuple[str, str]]:
        yield from ((word, self.origin[word]) for word in self.may if word in told)

    def teardown(self) -> None:
        if not hasattr(self, "stage"):
            return
        for voice in WATCHES if self.may else ():
            kin = self.stage.kin(voice)
            self.check(voice, looked_at(kin, *self.ids, words=" ".join(list(self.may)[-40:])))
        before = dump(self.db)
        self.stage.admin.rebuild()
        assert dump(self.db) == before
        assert isinstance(self.stage.admin.verify(), Verified)
        self.db.close()


def test_no_persona_outside_the_group_ever_sees_a_fictional_or_unconfirmed_value(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    examples, steps = (300, 40) if full else (8, 15)
    runs = run_machine(Play, place, examples=examples, steps=steps)
    print(f"\n{place[1][:2]}: {runs} plays of up to {steps} scenes")
    assert runs >= 1
