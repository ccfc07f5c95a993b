"""The facade of chat: say something, and what is known answers."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec.structs import replace

from kithkin.api.acting import Acting
from kithkin.chat import reply
from kithkin.chat.reply import Answer, Voices
from kithkin.identity import people_file
from kithkin.memories import remember
from kithkin.messages.message_append import Place


class Chat:
    """Say something: it is remembered, and what may be told answers."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def say(
        self,
        text: str,
        *,
        speaker: str,
        chat: str | None = None,
        shared: bool | None = None,
        members: Sequence[str] = (),
        at: datetime | None = None,
        piece: Callable[[str], None] | None = None,
    ) -> Answer:
        """Hear, remember, recall and answer. Without a model the answer is plain and honest."""
        by, models = self._acting.by(), self._acting.models
        place = Place(chat, shared, tuple(members))
        with people_file.kept(self._acting.db, by=by):
            said = remember.remember(
                self._acting.db,
                text,
                speaker=self._acting.own_words(speaker),
                place=place,
                at=at,
                extractor=models.extractor,
                voice=self._acting.voice,
                by=by,
            )
        answer = reply.chat(
            self._acting.db,
            said,
            place=place,
            voices=Voices(models.responder, models.embedder),
            now=self._acting.now(),
            piece=piece,
        )
        seen = self._acting.seen(None if self._acting.sees_all else speaker)
        return replace(
            answer,
            persons=tuple(seen.people(answer.persons)),
            superseded=seen.own_words(answer.superseded),
        )

    def undo(self, answer: Answer) -> int:
        """Take back everything an answer says was learned; how many memories it was."""
        acting = self._acting
        return reply.undo_all(acting.owned, answer, voice=acting.voice, by=acting.by())
