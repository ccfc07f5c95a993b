"""The command that serves the realm."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import chosen, models_of
from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.http.served_realm import Realm


@click.command(cls=Command)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8420, show_default=True, help="On which port; 0 for any free one.")
@click.option("--reset-password", is_flag=True, help="Print a link that sets a new password.")
def serve(host: str, port: int, reset_password: bool) -> None:
    """Serve the realm to agents, connectors and you.

    The first start prints a link to set your password. Agents come in by tokens: see
    `kithkin tokens`. What was approved is sent, and webhooks are told, while it runs.

    \b
    Examples:
      kithkin serve
      kithkin serve --port 8500 --db postgresql://db/kithkin
    """
    _require_extra()
    from kithkin.http import server

    realm = _opened()
    try:
        with server.bound(realm, host, port) as listening:
            address = server.address_of(listening)
            click.echo(f"Serving {chosen().where} at {address}", err=True)
            _tell_link(realm, address, always=reset_password)
            server.run(realm, host, listening)
    finally:
        realm.close()


def _opened() -> "Realm":
    from kithkin.http import owner
    from kithkin.http.served_realm import Realm

    where = chosen()
    return Realm.open(where.where, owner=owner.facades, realm=where.realm, models=models_of(where))


def _tell_link(realm: "Realm", address: str, *, always: bool) -> None:
    owner = realm.owner.facades["owner"].owner
    if always or not owner.has_password():
        code = owner.password_link()
        click.echo(f"Set your password within the hour: {address}/welcome#{code}", err=True)


def _require_extra() -> None:
    from importlib.util import find_spec

    from kithkin.errors import InvalidInput

    if not all(find_spec(name) for name in ("fastapi", "uvicorn", "argon2")):
        raise InvalidInput("Serving needs more: `pip install 'kithkin[server]'`.")
