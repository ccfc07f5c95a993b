"""The owner's facade of webhooks: web addresses that are told of changes."""

from collections.abc import Sequence

from kithkin.adapters.signed_post import post_signed, require_web_address
from kithkin.api.acting import Acting
from kithkin.upkeep import webhooks
from kithkin.upkeep.webhook_model import Dead, NewWebhook, Webhook
from kithkin.upkeep.webhooks import Told


class Webhooks:
    """Web addresses that are told of changes: ids and hashes, never what anybody said."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    def add(self, url: str, *, types: Sequence[str] = ()) -> NewWebhook:
        """Tell an address of changes from now on, signed with a secret that is shown once."""
        acting = self._acting
        return webhooks.add(
            acting.db, require_web_address(url), types, ring=acting.keyring, by=acting.by()
        )

    def list(self) -> list[Webhook]:
        """Every webhook, how far it has been told, and what went wrong last."""
        return webhooks.listed(self._acting.db)

    def remove(self, webhook: str) -> Webhook:
        """Tell it nothing any more."""
        return webhooks.remove(self._acting.db, webhook)

    def dead(self) -> Sequence[Dead]:
        """What webhooks never took, oldest first."""
        return webhooks.dead(self._acting.db)

    def retry(self, dead: str) -> Dead:
        """Tell a webhook once more what it never took."""
        acting = self._acting
        return webhooks.retry(acting.db, dead, post=post_signed, ring=acting.keyring)

    def deliver(self) -> Told:
        """Tell every webhook what it has not been told yet."""
        acting = self._acting
        return webhooks.deliver(acting.db, post=post_signed, ring=acting.keyring, by=acting.by)
