"""Admin: the owner's facade. What serves agents cannot import it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kithkin.api.acting import Acting
from kithkin.api.kithkin import Kithkin
from kithkin.api.owner_accounts import Accounts, Agents
from kithkin.api.owner_contacts import Contacts, Owner
from kithkin.api.owner_memories import OwnedMemories
from kithkin.api.owner_outbound import Answers, Credentials, Outbox, Rules
from kithkin.api.owner_personas import Cast, OwnedDoubts, OwnedProfile
from kithkin.api.owner_tokens import Tokens
from kithkin.api.owner_webhooks import Webhooks
from kithkin.contacts.model import OWNER
from kithkin.disclosure import explore
from kithkin.identity import people_file, person_merge
from kithkin.identity.people_file import TakenIn
from kithkin.identity.person_merge import Preview
from kithkin.people.model import Person
from kithkin.people.store import Merge
from kithkin.ports import Channel, Clock, Models
from kithkin.soil.model import Head
from kithkin.upkeep import backup, forget, sweep, verify, why
from kithkin.upkeep.backup import Health
from kithkin.upkeep.forget import Erasure
from kithkin.upkeep.sweep import Swept
from kithkin.upkeep.verify import Broken, Progress, Rebuilt, Verified
from kithkin.upkeep.why import Why

if TYPE_CHECKING:
    from kithkin.adapters.remote import Remote


class Admin:
    """One realm, as its owner may keep it."""

    def __init__(self, acting: Acting, *, where: str) -> None:
        self._acting = acting
        self._where = where
        # What agents use, with the owner's eyes: nothing is held back. It shares this realm.
        self.kin = Kithkin(acting)
        self.contacts = Contacts(acting)
        self.owner = Owner(acting, self.contacts)
        self.accounts = Accounts(acting)
        self.agents = Agents(acting)
        self.rules = Rules(acting)
        self.questions = Answers(acting)
        self.outbox = Outbox(acting)
        self.credentials = Credentials(acting)
        self.memories = OwnedMemories(acting)
        self.personas = Cast(acting)
        self.profile = OwnedProfile(acting)
        self.doubts = OwnedDoubts(acting)
        self.tokens = Tokens(acting)
        self.webhooks = Webhooks(acting)

    @classmethod
    def open(  # noqa: PLR0913 - all that a realm is opened with
        cls,
        where: str | Path,
        *,
        realm: str = "kithkin",
        actor: str = OWNER,
        clock: Clock | None = None,
        create: bool = True,
        channels: Mapping[str, Channel] | None = None,
        models: Models | None = None,
        seed: bool = True,
        persona: str | None = None,
    ) -> Self:
        """Open a realm as its owner. `channels` are sent by beside those of the configuration.

        `actor` signs the changes, where the owner works as somebody else would.

        A new realm that is not seeded stays empty, for a backup to be restored into.
        """
        acting = Acting.open(
            where,
            realm=realm,
            actor=actor,
            clock=clock,
            create=create,
            channels=channels,
            models=models,
            seed=seed,
            sees_all=True,
            persona=persona,
        )
        return cls(acting, where=str(where))

    @classmethod
    def connect(cls, url: str, *, password: str, seconds: float = 30.0) -> Self:
        """The same realm served elsewhere: log in as its owner."""
        # Only whoever connects needs the client and the whole table.
        from kithkin.adapters.remote import Remote  # noqa: PLC0415

        remote = Remote(url, seconds=seconds)
        remote.log_in(password)
        return cls.afar(remote)

    @classmethod
    def afar(cls, remote: "Remote") -> Self:
        """The same over a connection to a server that is there already."""
        from kithkin.adapters.remote import become  # noqa: PLC0415 - see above
        from kithkin.verbs.owner_verbs import VERBS  # noqa: PLC0415

        admin = cls.__new__(cls)
        become(admin, VERBS, remote, {})
        admin.kin = Kithkin.afar(remote)
        return admin

    def verify(
        self,
        *,
        against: Head | None = None,
        ledger_only: bool = False,
        progress: Progress | None = None,
    ) -> Verified | Broken:
        """Recompute every hash; the first link that does not hold is named."""
        return verify.verify(
            self._acting.db, against=against, ledger_only=ledger_only, progress=progress
        )

    def rebuild(self, *, progress: Progress | None = None) -> Rebuilt:
        """Compute every entity and look-up row again from Soil."""
        return verify.rebuild(self._acting.db, progress=progress)

    def preview_merge(self, primary: str, secondary: str) -> Preview:
        """What merging two records would move, and what to look at first."""
        return person_merge.preview(self._acting.db, primary, secondary, by=self._acting.by())

    def merge(self, primary: str, secondary: str) -> Merge:
        """Make one record of two; nothing is lost, and `unmerge` takes it back."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return person_merge.merge(self._acting.db, primary, secondary, by=self._acting.by())

    def unmerge(self, merge_id: str) -> tuple[Person, Person]:
        """Make two records of one again."""
        with people_file.kept(self._acting.db, by=self._acting.by()):
            return person_merge.unmerge(self._acting.db, merge_id, by=self._acting.by())

    def merges(self, person: str) -> list[Merge]:
        """Every merge a person took part in, with both records as they were."""
        return person_merge.merges_of(self._acting.db, person)

    def import_people(self, file: Path) -> TakenIn:
        """Take in a file of person lines, old formats too."""
        return people_file.import_lines(self._acting.db, file, by=self._acting.by())

    def export_people(self) -> Iterator[str]:
        """Every person as a line of `people.jsonl`."""
        return people_file.export_lines(self._acting.db)

    def check_people(self) -> TakenIn:
        """Compare `people.jsonl` with the realm; name the lines that say nothing."""
        return people_file.check(self._acting.db, by=self._acting.by())

    def head(self) -> Head:
        """The ledger's last entry: kept elsewhere, it proves later that history was not altered."""
        return verify.head(self._acting.db)

    def sweep(self, *, dry_run: bool = True) -> Swept:
        """Let what nobody comes back to rest. A dry run only says what would happen."""
        self._acting.flush()
        return sweep.sweep(self._acting.db, by=self._acting.by(), dry_run=dry_run)

    def erase(self, uuid: str) -> Erasure:
        """Erase an item's words, or an entity with its whole history. Hashes stay."""
        return forget.erase(self._acting.db, uuid, by=self._acting.by())

    def backup(self, file: Path, *, progress: Progress | None = None) -> Head:
        """Write a consistent copy to a new file, while others go on writing."""
        return backup.backup(self._acting.db, file, by=self._acting.by(), progress=progress)

    def restore(
        self, file: Path, *, replace: bool = False, progress: Progress | None = None
    ) -> Head:
        """Make the realm what a backup says."""
        return backup.restore(self._acting.db, file, replace=replace, progress=progress)

    def export_soil(self, file: Path) -> Head:
        """Write the timeline as its own SQLite database, with the specification's tables."""
        return backup.export_soil(self._acting.db, file)

    def doctor(self) -> Health:
        """Versions, sizes, free space and counts, with advice."""
        return backup.examine(self._acting.db, self._where)

    def why(self, uuid: str) -> Why:
        """Why something is believed or happened, back to the words and who said them."""
        return why.why(self._acting.db, uuid, audience=None, now=self._acting.now())

    def full_id(self, start: str) -> str:
        """The one id that begins so: people copy the start of an id."""
        return explore.full_id(self._acting.db, start)

    def close(self) -> None:
        """Close the realm."""
        self._acting.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
