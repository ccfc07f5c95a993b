"""The facade of what leaves: every send passes the gate."""

from collections.abc import Mapping
from typing import Any

from kithkin.api.acting import Acting
from kithkin.outbound import notify
from kithkin.outbound.model import Call
from kithkin.outbound.notify import Notice
from kithkin.outbound.send import Outcome, Request, act


class Outbound:
    """Tell somebody something, or use a tool that sends: at once, or once a human has agreed."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def notify(
        self,
        message: str,
        *,
        channel: str | None = None,
        contact_id: str | None = None,
        recipient: str | None = None,
        because_of: str | None = None,
        reason: str | None = None,
    ) -> Outcome:
        """Tell a contact, a recipient on a channel, or with neither the owner.

        Queued when it may leave; Waits when the owner is asked first.
        """
        return notify.notify(
            self._acting.db,
            Notice(message, channel, contact_id, recipient, because_of, reason),
            account=self._acting.account_id,
            config=self._acting.config,
            by=self._acting.by(reason),
        )

    def act(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        because_of: str | None = None,
        reason: str | None = None,
    ) -> Outcome:
        """Use an outbound tool. `because_of` names the message that led to it."""
        request = Request(Call(tool, arguments), self._acting.account_id, because_of, reason)
        return act(self._acting.db, request, config=self._acting.config, by=self._acting.by(reason))
