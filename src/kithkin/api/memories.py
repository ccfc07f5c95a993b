"""The facade of memories: what is known, who said so, and who may hear it."""

from collections.abc import Collection, Sequence
from datetime import datetime

from kithkin.api.acting import Acting
from kithkin.core.model import Version
from kithkin.disclosure import explore
from kithkin.disclosure.rule import Audience
from kithkin.identity import people_file
from kithkin.memories import context, memory_edit, recall, remember
from kithkin.memories.learn import Learned, Noted, Remembered
from kithkin.memories.memory_edit import Changes
from kithkin.memories.model import Memory
from kithkin.memories.recall import Recalled
from kithkin.messages.message_append import Place


class Memories:
    """What is known, who said so, and who may hear it."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def remember(
        self,
        text: str,
        *,
        speaker: str | None = None,
        chat: str | None = None,
        shared: bool | None = None,
        members: Sequence[str] = (),
        at: datetime | None = None,
    ) -> Remembered:
        """Take in a message and keep what it says, with its quote. Secrets are masked.

        Without a speaker it is the word of whom this acts for; without a chat it is said in the
        speaker's own private one. `at` says when, in the speaker's zone: "tomorrow" is theirs.
        """
        by = self._acting.by()
        with people_file.kept(self._acting.db, by=by):
            kept = remember.remember(
                self._acting.db,
                text,
                speaker=self._acting.own_words(speaker),
                place=Place(chat, shared, tuple(members)),
                at=at,
                extractor=self._acting.models.extractor,
                voice=self._acting.voice,
                by=by,
            )
        return self._told(kept, speaker)

    def learn(self, item: str) -> Remembered:
        """Keep what a message says that came in through a connector, once, with its quote."""
        by = self._acting.by()
        with people_file.kept(self._acting.db, by=by):
            kept = remember.learn_from(
                self._acting.db,
                item,
                account=self._acting.account_id if self._acting.agent else None,
                extractor=self._acting.models.extractor,
                voice=self._acting.voice,
                by=by,
            )
        return self._told(kept, item)

    def add(
        self,
        content: str,
        *,
        speaker: str | None = None,
        about: Sequence[str] = (),
        place: Place | None = None,
        noted: Noted | None = None,
    ) -> Remembered | Learned:
        """Write a memory down as a speaker's word. A secret in it is refused."""
        by = self._acting.by()
        with people_file.kept(self._acting.db, by=by):
            kept = memory_edit.add(
                self._acting.db,
                content,
                about=about,
                speaker=self._acting.own_words(speaker),
                place=place,
                noted=noted,
                voice=self._acting.voice,
                by=by,
            )
        return self._told(kept, speaker) if isinstance(kept, Remembered) else kept

    def search(
        self, question: str, *, speaker: str | None = None, chat: str | None = None, limit: int = 10
    ) -> list[Recalled]:
        """What may be told to whoever reads the answer, the best first, with who said it."""
        return self._recalled(question, speaker, chat, limit)

    def context(
        self,
        question: str,
        *,
        speaker: str | None = None,
        chat: str | None = None,
        tokens: int = 1000,
    ) -> str:
        """The same for a prompt: within so many tokens, marked so that it is never learned."""
        found = self._recalled(question, speaker, chat, 50)
        return context.context(self._acting.db, found, tokens=tokens)

    def find_memories_by_subject(
        self, person_ids: Collection[str], *, speaker: str | None = None, chat: str | None = None
    ) -> list[Memory]:
        """Memories about people from every context, their own word included, as far as allowed."""
        return recall.find_memories_by_subject(
            self._acting.db,
            person_ids,
            audience=self._audience(speaker, chat),
            now=self._acting.now(),
        )

    def show(self, memory: str, *, speaker: str | None = None, chat: str | None = None) -> Recalled:
        """One memory, if this speaker may see it."""
        return recall.show(
            self._acting.db,
            memory,
            audience=self._audience(speaker, chat),
            now=self._acting.now(),
        )

    def history(
        self, memory: str, *, speaker: str | None = None, chat: str | None = None
    ) -> Sequence[Version]:
        """Every version of a memory, if this speaker may see it."""
        self.show(memory, speaker=speaker, chat=chat)
        return explore.history(self._acting.db, memory)

    def edit(
        self, memory: str, *, speaker: str, changes: Changes, based_on: str | None = None
    ) -> Memory:
        """Change one's own memory. What others said is theirs to change."""
        return memory_edit.edit_own(
            self._acting.db,
            memory,
            changes,
            speaker=self._acting.speaking(speaker),
            based_on=based_on,
            voice=self._acting.voice,
            by=self._acting.by(),
        )

    def undo(self, memory: str, *, speaker: str) -> Memory:
        """Take back what was learned from one's own words; what it replaced stands again."""
        mine = self._acting.speaking(speaker)
        acting = self._acting
        return memory_edit.undo(acting.db, memory, speaker=mine, voice=acting.voice, by=acting.by())

    def supersede_confirmed_hearsay(self, memory: str) -> Sequence[Memory]:
        """Let somebody's own word replace what others said of them. Done for every new one too."""
        return memory_edit.supersede_confirmed_hearsay(
            self._acting.realm, memory, by=self._acting.by()
        )

    def embed(self) -> int:
        """Let the embedder read what it has not read yet; how many texts it was."""
        realm, embedder = self._acting.realm, self._acting.models.embedder
        return recall.embed(realm, embedder, most=1_000_000) if embedder else 0

    def _recalled(
        self, question: str, speaker: str | None, chat: str | None, limit: int
    ) -> list[Recalled]:
        people_file.read(self._acting.db, by=self._acting.by)
        return recall.recall(
            self._acting.db,
            question,
            audience=self._audience(speaker, chat),
            speaker=self._acting.asking(speaker),
            limit=limit,
            now=self._acting.now(),
            embedder=self._acting.models.embedder,
        )

    def _told(self, kept: Remembered, speaker: str | None) -> Remembered:
        """What became of somebody's words, as they may be told; the owner sees all of it."""
        return self._acting.seen(None if self._acting.sees_all else speaker).remembered(kept)

    def _audience(self, speaker: str | None, chat: str | None) -> Audience:
        return self._acting.audience(speaker, chat)

    def list(
        self,
        *,
        speaker: str | None = None,
        chat: str | None = None,
        everything: bool = False,
        limit: int = 50,
    ) -> list[Recalled]:
        """Memories this speaker may see, the newest first."""
        return recall.listed(
            self._acting.db,
            audience=self._audience(speaker, chat),
            everything=everything,
            limit=limit,
            now=self._acting.now(),
        )
