"""What a server does by itself: send, tell webhooks, and ask once a day what was real."""

import asyncio
import logging
from typing import Final

from anyio import to_thread

from kithkin.api.owner import Admin
from kithkin.errors import KithkinError
from kithkin.http.change_stream import Live
from kithkin.http.served_realm import Realm

_AT_LEAST_EVERY: Final = 5.0
_AT_MOST_EVERY: Final = 0.2
_log: Final = logging.getLogger("kithkin.serve")


async def deliver(realm: Realm, follower: Live) -> None:
    """Deliver after every change, and now and then. Leases keep several servers apart."""
    admin: Admin = realm.owner.facades["owner"]
    while not follower.stopping:
        change = follower.next_change()
        await to_thread.run_sync(_round, admin)
        await asyncio.sleep(_AT_MOST_EVERY)
        try:
            async with asyncio.timeout(_AT_LEAST_EVERY):
                await change.wait()
        except TimeoutError:
            continue


def _round(admin: Admin) -> None:
    for work in (admin.doubts.ask_daily, admin.outbox.deliver, admin.webhooks.deliver):
        try:
            work()
        except KithkinError as error:
            # The next round tries again; the server goes on answering.
            _log.warning("What a server does by itself waits: %s", error)
