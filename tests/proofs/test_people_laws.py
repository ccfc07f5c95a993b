"""Whatever people claim, rename, merge and unmerge, nothing is lost and nobody is confused."""

from collections.abc import Callable
from contextlib import suppress

import hypothesis.strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner import Admin
from kithkin.db import Database
from kithkin.errors import NotFound, Refused
from kithkin.people.model import Ambiguous, ByClaim, ByInverse, Found
from kithkin.testing import FixedClock
from kithkin.upkeep.verify import Verified
from tests.proofs.machine import run_machine
from tests.upkeep.test_verify import dump

SPEAKERS = ("telegram:1", "telegram:2", "email:c@example.com")
TERMS = ("wife", "husband", "friend", "boss", "sister")
NAMES = ("Ann", "Ann Lee", "Ben", "Benjamin", "José", "Li Wei", "Wife", "Anne-Marie O'Brien")


class World(RuleBasedStateMachine):
    """A realm of people beside what was ever said of them."""

    open_database: Callable[[], Database]
    people = Bundle("people")
    merges = Bundle("merges")

    @initialize()
    def start(self) -> None:
        self.db = type(self).open_database()
        self.clock = FixedClock()
        self.kin = Kithkin(Acting(self.db, actor="owner", clock=self.clock, sees_all=True))
        self.admin = Admin(
            Acting(self.db, actor="owner", clock=self.clock, sees_all=True), where=""
        )
        self.names: set[str] = set()
        self.claims: set[tuple[str, str]] = set()
        self.ids: set[str] = set()

    @rule(target=people, name=st.sampled_from(NAMES), speaker=st.sampled_from(SPEAKERS))
    def met(self, name: str, speaker: str) -> str:
        met = self.kin.people.resolve_or_create(name, speaker=speaker)
        found = met.resolution
        if isinstance(found, Found):
            if met.created:
                self.names.add(found.person.name)
                self.claims |= {
                    (c.relationship, str(c.stated_by)) for c in found.person.relationships
                }
            return str(found.person.id)
        assert isinstance(found, Ambiguous)
        return str(found.candidates[0].id)

    @rule(target=people, speaker=st.sampled_from(SPEAKERS), name=st.sampled_from(NAMES))
    def spoke(self, speaker: str, name: str) -> str:
        met = self.kin.people.ensure_self(speaker, name=name)
        self.names.add(met.person.name)
        return str(met.person.id)

    @rule(person=people, term=st.sampled_from(TERMS), speaker=st.sampled_from(SPEAKERS))
    def claimed(self, person: str, term: str, speaker: str) -> None:
        try:
            self.kin.people.claim_relationship(person, term, speaker=speaker)
        except Refused:
            assert self.kin.people.get(person).merged_into
        else:
            self.claims.add((term, speaker))

    @rule(person=people, name=st.sampled_from(NAMES))
    def renamed(self, person: str, name: str) -> None:
        try:
            self.kin.people.rename(person, name)
        except Refused:
            assert self.kin.people.get(person).merged_into
        else:
            self.names.add(name)

    @rule(target=merges, one=people, other=people)
    def merged(self, one: str, other: str) -> str:
        try:
            return self.admin.merge(one, other).id
        except Refused:
            first, second = self.kin.people.get(one), self.kin.people.get(other)
            assert one == other or first.merged_into or second.merged_into
            return ""

    @rule(merge=merges)
    def unmerged(self, merge: str) -> None:
        with suppress(Refused, NotFound):
            self.admin.unmerge(merge)

    @invariant()
    def no_name_and_no_claim_is_lost(self) -> None:
        everyone = self.kin.people.get_all()
        names = {p.name.casefold() for p in everyone}
        names |= {alias.value.casefold() for p in everyone for alias in p.aliases}
        assert {name.casefold() for name in self.names} <= names
        claims = {(c.relationship, c.stated_by) for p in everyone for c in p.relationships}
        assert self.claims <= claims

    @invariant()
    def no_id_is_lost(self) -> None:
        ids = {str(person.id) for person in self.kin.people.get_all()}
        assert self.ids <= ids
        self.ids = ids

    @invariant()
    def nobody_who_was_merged_is_ever_found(self) -> None:
        for name in NAMES:
            found = self.kin.people.find(name)
            people = [found.person] if isinstance(found, Found) else []
            people += found.candidates if isinstance(found, Ambiguous) else ()
            assert all(person.merged_into is None for person in people)

    @invariant()
    def my_x_is_found_by_my_own_word_alone(self) -> None:
        for speaker in SPEAKERS:
            keys = {speaker}
            for term in TERMS:
                found = self.kin.people.find_for_speaker(f"my {term}", speaker)
                if isinstance(found, Found):
                    me = self.kin.people.find_person_ids_for_username(speaker)
                    keys |= {
                        str(claim.stated_by)
                        for uuid in me
                        for claim in self.kin.people.get(uuid).relationships
                        if claim.relationship == "self"
                    }
                    assert not any(isinstance(evidence, ByInverse) for evidence in found.evidence)
                    assert all(
                        evidence.claim.stated_by in keys
                        for evidence in found.evidence
                        if isinstance(evidence, ByClaim)
                    )

    def teardown(self) -> None:
        if hasattr(self, "db"):
            assert isinstance(self.admin.verify(), Verified)
            before = dump(self.db)
            assert self.admin.rebuild().repaired is None
            assert dump(self.db) == before
            self.db.close()


def test_the_laws_of_people_hold_whatever_is_said(
    place: tuple[str, str],
    full: bool,  # noqa: FBT001 - a fixture
) -> None:
    embedded = place[1] == "kithkin"
    examples = (150 if embedded else 40) if full else (10 if embedded else 3)
    runs = run_machine(World, place, examples=examples, steps=20)
    assert runs >= examples
    print(f"\n{runs} random worlds of up to 20 events each: every law of people held")
