"""The facade of people: who everyone is, who they are to whom, and who is meant."""

from msgspec.structs import replace

from kithkin.api.acting import Acting
from kithkin.disclosure.people import Telling
from kithkin.identity import introduce, people_file, person_edit, person_merge, self_person
from kithkin.identity.introduce import Introduced
from kithkin.identity.self_person import Met
from kithkin.ids import PersonId, QuestionId
from kithkin.people.duplicates import LIKELY, Pair, duplicates
from kithkin.people.model import Context, Person, Resolution
from kithkin.personas.voices import require_steward


class People:
    """Who everyone is, who they are to whom, and who is meant."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def find(self, reference: str, *, context: Context | None = None) -> Resolution:
        """Who is meant by a name or handle, whoever asks: Found, Ambiguous or Unknown."""
        return self._told(None).resolution(self._resolved(reference, None, context))

    def find_for_speaker(
        self, reference: str, speaker: str | None = None, *, context: Context | None = None
    ) -> Resolution:
        """Who a speaker means, looking among their own people first.

        A speaker is `channel:id`, or the id of a message that came; without one it is whom this
        acts for.
        """
        found = self._resolved(reference, self._acting.asking(speaker), context)
        return self._told(speaker).resolution(found)

    def resolve_or_create(
        self,
        reference: str,
        *,
        speaker: str | None = None,
        content_hint: str = "",
        context: Context | None = None,
    ) -> Introduced:
        """Who is meant, or a new person from the reference and the sentence it stood in."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            met = introduce.resolve_or_create(
                self._acting.db,
                reference,
                speaker=self._acting.stating(speaker),
                hint=content_hint,
                context=context,
                voice=self._acting.voice,
                by=self._acting.by(),
            )
        return replace(met, resolution=self._told(speaker).resolution(met.resolution))

    def ensure_self(
        self, speaker: str, *, username: str | None = None, name: str | None = None
    ) -> Met:
        """The speaker's own person, anchored on the channel's stable id."""
        if not self._acting.voice.is_steward:
            # What somebody is called in a play is no name of theirs.
            username = name = None
        with people_file.kept(self._acting.db, by=self._acting.by()):
            met = self_person.ensure_self(
                self._acting.db,
                self._acting.speaking(speaker),
                username=username,
                name=name,
                by=self._acting.by(),
            )
        return replace(met, person=self._told(speaker).person(met.person))

    def get(self, person: str) -> Person:
        """The record with this id, merged or not."""
        people_file.read(self._acting.db, by=self._acting.by)
        return self._told(None).person(
            self_person.get(self._acting.db, person, voice=self._acting.voice)
        )

    def list_all(self, *, after: str | None = None, limit: int | None = None) -> list[Person]:
        """Everybody, without records that were merged into another; or a page, after an id."""
        people_file.read(self._acting.db, by=self._acting.by)
        return self._everyone(merged=False, after=after, limit=limit)

    def get_all(self, *, after: str | None = None, limit: int | None = None) -> list[Person]:
        """Every record, merged ones too; or a page, after an id."""
        people_file.read(self._acting.db, by=self._acting.by)
        return self._everyone(merged=True, after=after, limit=limit)

    def find_person_ids_for_username(self, username: str) -> list[PersonId]:
        """The people who go by a username or name, whoever added it."""
        people_file.read(self._acting.db, by=self._acting.by)
        return self_person.find_person_ids_for_username(
            self._acting.db, username, voice=self._acting.voice
        )

    def rename(self, person: str, name: str) -> Person:
        """Give a person another name; the old one stays as an alias."""
        realm = self._acting.realm
        with people_file.kept(realm, by=self._acting.by()):
            renamed = person_edit.rename(realm, person, name, by=self._acting.by())
        return self._told(None).person(renamed)

    def add_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Another name, handle or phrase for a person, with who added it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            changed = person_edit.add_alias(
                self._acting.db,
                self._own(person),
                alias,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )
        return self._told(speaker).person(changed)

    def remove_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Take an alias away. What somebody added for themselves only they can remove."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            changed = person_edit.remove_alias(
                self._acting.db,
                self._own(person),
                alias,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )
        return self._told(speaker).person(changed)

    def claim_relationship(self, person: str, relationship: str, *, speaker: str) -> Person:
        """State what a person is to a speaker; others' claims stand beside it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            changed = person_edit.claim_relationship(
                self._acting.db,
                self._own(person),
                relationship,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )
        return self._told(speaker).person(changed)

    def unclaim_relationship(
        self, person: str, relationship: str, *, speaker: str | None = None
    ) -> Person:
        """Take a claim back."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            changed = person_edit.unclaim_relationship(
                self._acting.db,
                self._own(person),
                relationship,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )
        return self._told(speaker).person(changed)

    def duplicates(self) -> list[Pair[PersonId]]:
        """Pairs of real people's records that may be one, with reasons. Nothing is merged."""
        require_steward(self._acting.voice, to="look for duplicates")
        real = [person for person in self.list_all() if not person.groups]
        return list(duplicates(real, at_least=LIKELY))

    def propose_merge(self, primary: str, secondary: str, *, reason: str = "") -> QuestionId:
        """Ask the owner whether two records are one person. Nothing is merged before."""
        return person_merge.propose(
            self._acting.db,
            self.get(primary).id,
            self.get(secondary).id,
            reason=reason,
            config=self._acting.config,
            by=self._acting.by(),
        )

    def prompt_section(
        self, *, speaker: str | None = None, most: int = 50, most_characters: int = 4000
    ) -> str:
        """The known people as an agent's prompt tells of them, the sender left out.

        Names are everybody's; who is what to whom is told to whoever said so.
        """
        people_file.read(self._acting.db, by=self._acting.by)
        sender = None if self._acting.sees_all and speaker is None else self._acting.asking(speaker)
        seen = self._acting.seen(speaker)
        return seen.people_section(sender, most=most, most_characters=most_characters)

    def _everyone(self, *, merged: bool, after: str | None, limit: int | None) -> list[Person]:
        acting = self._acting
        found = self_person.everyone(
            acting.db, merged=merged, voice=acting.voice, after=after, limit=limit
        )
        return list(map(self._told(None).person, found))

    def _told(self, speaker: str | None) -> Telling:
        """What is told of people to a speaker; the owner sees whole what a speaker's word did."""
        return Telling(None if self._acting.sees_all else self._acting.hearers(speaker))

    def _resolved(self, reference: str, speaker: str | None, context: Context | None) -> Resolution:
        people_file.read(self._acting.db, by=self._acting.by)
        return self_person.resolve(
            self._acting.db,
            reference,
            speaker=speaker,
            context=context,
            voice=self._acting.voice,
        )

    def _own(self, person: str) -> str:
        """Somebody whom the voice may say something of: a fiction has its own people."""
        person_edit.require_at_home(self._acting.db, person, self._acting.voice)
        return person
