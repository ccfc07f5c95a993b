"""The facade of people: who everyone is, who they are to whom, and who is meant."""

from kithkin.acting import Acting
from kithkin.ids import PersonId, QuestionId
from kithkin.journeys import describe, identify, merge, people_file
from kithkin.journeys.audience import audience_of
from kithkin.journeys.identify import Introduced, Met
from kithkin.journeys.seen import Seen
from kithkin.people.duplicates import Pair
from kithkin.people.model import Context, Person, Resolution
from kithkin.people.store import Merge


class People:
    """Who everyone is, who they are to whom, and who is meant."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def find(self, reference: str, *, context: Context | None = None) -> Resolution:
        """Who is meant by a name or handle, whoever asks: Found, Ambiguous or Unknown."""
        return self._resolved(reference, None, context)

    def find_for_speaker(
        self, reference: str, speaker: str, *, context: Context | None = None
    ) -> Resolution:
        """Who a speaker (`channel:id`) means, looking among their own people first."""
        return self._resolved(reference, self._acting.speaking(speaker), context)

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
            return identify.resolve_or_create(
                self._acting.db,
                reference,
                speaker=self._acting.stating(speaker),
                hint=content_hint,
                context=context,
                by=self._acting.by(),
            )

    def ensure_self(
        self, speaker: str, *, username: str | None = None, name: str | None = None
    ) -> Met:
        """The speaker's own person, anchored on the channel's stable id."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return identify.ensure_self(
                self._acting.db,
                self._acting.speaking(speaker),
                username=username,
                name=name,
                by=self._acting.by(),
            )

    def get(self, person: str) -> Person:
        """The record with this id, merged or not."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.get(self._acting.db, person)

    def list_all(self, *, after: str | None = None, limit: int | None = None) -> list[Person]:
        """Everybody, without records that were merged into another; or a page, after an id."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.everyone(self._acting.db, merged=False, after=after, limit=limit)

    def get_all(self, *, after: str | None = None, limit: int | None = None) -> list[Person]:
        """Every record, merged ones too; or a page, after an id."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.everyone(self._acting.db, merged=True, after=after, limit=limit)

    def find_person_ids_for_username(self, username: str) -> list[PersonId]:
        """The people who go by a username or name, whoever added it."""
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.find_person_ids_for_username(self._acting.db, username)

    def rename(self, person: str, name: str) -> Person:
        """Give a person another name; the old one stays as an alias."""
        realm = self._acting.realm
        with people_file.kept(realm, by=self._acting.by()):
            return describe.rename(realm, person, name, by=self._acting.by())

    def add_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Another name, handle or phrase for a person, with who added it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return describe.add_alias(
                self._acting.db,
                person,
                alias,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )

    def remove_alias(self, person: str, alias: str, *, speaker: str | None = None) -> Person:
        """Take an alias away. What somebody added for themselves only they can remove."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return describe.remove_alias(
                self._acting.db,
                person,
                alias,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )

    def claim_relationship(self, person: str, relationship: str, *, speaker: str) -> Person:
        """State what a person is to a speaker; others' claims stand beside it."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return describe.claim_relationship(
                self._acting.db,
                person,
                relationship,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )

    def unclaim_relationship(
        self, person: str, relationship: str, *, speaker: str | None = None
    ) -> Person:
        """Take a claim back."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return describe.unclaim_relationship(
                self._acting.db,
                person,
                relationship,
                speaker=self._acting.stating(speaker),
                by=self._acting.by(),
            )

    def duplicates(self) -> list[Pair[PersonId]]:
        """Pairs of records that may be one person, with reasons. Nothing is merged."""
        people_file.read(self._acting.db, by=self._acting.by)
        return merge.duplicates(self._acting.db)

    def propose_merge(self, primary: str, secondary: str, *, reason: str = "") -> QuestionId:
        """Ask the owner whether two records are one person. Nothing is merged before."""
        return merge.propose(
            self._acting.db,
            primary,
            secondary,
            reason=reason,
            config=self._acting.config,
            by=self._acting.by(),
        )

    def merges(self, person: str) -> list[Merge]:
        """Every merge a person took part in."""
        return merge.merges_of(self._acting.db, person)

    def prompt_section(
        self, *, speaker: str | None = None, most: int = 50, most_characters: int = 4000
    ) -> str:
        """The known people as an agent's prompt tells of them, the sender left out.

        Names are everybody's; who is what to whom is told to whoever said so.
        """
        people_file.read(self._acting.db, by=self._acting.by)
        if speaker is not None:
            audience = audience_of(self._acting.db, self._acting.speaking(speaker))
            seen = Seen(self._acting.db, audience, now=self._acting.now)
            return seen.people_section(speaker, most=most, most_characters=most_characters)
        return identify.prompt_section(
            self._acting.realm, speaker=None, most=most, most_characters=most_characters
        )

    def _resolved(self, reference: str, speaker: str | None, context: Context | None) -> Resolution:
        people_file.read(self._acting.db, by=self._acting.by)
        return identify.resolve(self._acting.db, reference, speaker=speaker, context=context)
