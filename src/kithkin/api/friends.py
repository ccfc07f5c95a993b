"""The facade of friends: asking, leaving and writing, for agents that talk to their person."""

from kithkin.api.acting import Acting
from kithkin.errors import NotAllowed
from kithkin.friends import friendship
from kithkin.friends.model import Done, Sent
from kithkin.friends.model import Friends as Listed
from kithkin.ids import AccountId


class Friends:
    """Other accounts of this realm. Only a frontend agent acts here: its person is listening."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def add(self, nametag: str) -> Done:
        """Ask somebody to be friends, or accept: who asked first becomes a friend at once.

        A second request waits a week after the first, and a week after a rejection.
        """
        return friendship.friend_add(
            self._acting.db,
            nametag,
            me=self._me(),
            settings=self._acting.config.friends,
            by=self._acting.by(),
        )

    def remove(self, nametag: str) -> Done:
        """End a friendship, reject a request, or take one's own back. Only a friend is told."""
        return friendship.friend_remove(
            self._acting.db, nametag, me=self._me(), by=self._acting.by()
        )

    def send(self, nametag: str, message: str) -> Sent:
        """Write to a friend: their agents read it as the words of this account's person."""
        return friendship.friend_send(
            self._acting.db,
            nametag,
            message,
            me=self._me(),
            settings=self._acting.config.friends,
            by=self._acting.by(),
        )

    def list(self) -> Listed:
        """Friends, requests that wait on either side, and who is blocked."""
        return friendship.friend_list(self._acting.db, me=self._me())

    def block(self, nametag: str) -> Done:
        """Take nothing from somebody any more; what was between the two ends."""
        return friendship.block(self._acting.db, nametag, me=self._me(), by=self._acting.by())

    def unblock(self, nametag: str) -> Done:
        """Let somebody ask again."""
        return friendship.unblock(self._acting.db, nametag, me=self._me(), by=self._acting.by())

    def _me(self) -> AccountId:
        agent = self._acting.agent
        if agent is None:
            raise NotAllowed("Only a registered agent has friends: open the realm with agent=ID.")
        if agent.kind != "frontend":
            raise NotAllowed(
                f"{agent.name} works in the background: only an agent that talks to its person "
                "asks and writes for them."
            )
        return agent.account
