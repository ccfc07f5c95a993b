"""Commands about webhooks: web addresses that are told of changes."""

from typing import TYPE_CHECKING

import click

from kithkin.cli.realm import administered, answer
from kithkin.cli.root import Group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kithkin.api.owner import Admin
    from kithkin.upkeep.webhook_model import Dead, NewWebhook, Webhook
    from kithkin.upkeep.webhooks import Told


@click.group(cls=Group)
def webhooks() -> None:
    """Tell web addresses of changes, signed and in order.

    `kithkin serve` tells them as it happens; `kithkin webhooks deliver` does one round.

    \b
    Example:
      kithkin webhooks add https://example.com/kithkin --type person
    """


@webhooks.command()
@click.argument("url")
@click.option("--type", "types", metavar="TYPE", multiple=True, help="Only changes of this type.")
def add(url: str, types: tuple[str, ...]) -> None:
    """Tell an address of changes from now on.

    The secret its messages are signed with is shown now, and never again: compare the header
    X-Kithkin-Signature with `sha256=` and the body's HMAC-SHA256 under it.

    \b
    Example:
      kithkin webhooks add https://example.com/kithkin --type person
    """
    with administered() as admin:
        made = admin.webhooks.add(url, types=types)
    answer(made, lambda: _tell_new(made))


@webhooks.command("list")
def list_() -> None:
    """List the webhooks, how far each has been told, and what went wrong last.

    \b
    Example:
      kithkin webhooks list
    """
    with administered() as admin:
        found = admin.webhooks.list()
    answer(found, lambda: _tell(found))


@webhooks.command()
@click.argument("webhook")
def remove(webhook: str) -> None:
    """Tell an address nothing any more; name it by its URL or its id.

    \b
    Example:
      kithkin webhooks remove https://example.com/kithkin
    """
    with administered() as admin:
        gone = admin.webhooks.remove(_meant(admin, webhook))
    answer(gone, lambda: click.echo(f"{gone.url} is told nothing any more."))


@webhooks.command()
def dead() -> None:
    """List what webhooks never took, after eight attempts.

    \b
    Example:
      kithkin webhooks dead
    """
    with administered() as admin:
        found = admin.webhooks.dead()
        urls = {str(one.id): one.url for one in admin.webhooks.list()}
    answer(found, lambda: _tell_dead(found, urls))


@webhooks.command()
@click.argument("dead")
def retry(dead: str) -> None:
    """Tell a webhook once more what it never took.

    \b
    Example:
      kithkin webhooks retry dead_1f0c9a52
    """
    with administered() as admin:
        found = [one.id for one in admin.webhooks.dead() if one.id.startswith(dead)]
        done = admin.webhooks.retry(found[0] if len(found) == 1 else dead)
    answer(done, lambda: click.echo("It was taken."))


@webhooks.command()
def deliver() -> None:
    """Tell every webhook what it has not been told yet, once.

    \b
    Example:
      kithkin webhooks deliver
    """
    with administered() as admin:
        done = admin.webhooks.deliver()
    answer(done, lambda: _tell_round(done))


def _meant(admin: "Admin", webhook: str) -> str:
    found = [one.id for one in admin.webhooks.list() if webhook in {one.id, one.url}]
    return found[0] if found else webhook


def _tell_new(made: "NewWebhook") -> None:
    click.echo(made.secret)
    click.echo("It signs every message; keep it: it is not shown again.", err=True)


def _tell(found: "Sequence[Webhook]") -> None:
    from kithkin.cli import tables as look

    look.table(
        "url",
        "types",
        "told up to",
        "trouble",
        rows=(
            (one.url, ", ".join(one.types) or "all", str(one.cursor), one.error or "")
            for one in found
        ),
    )


def _tell_dead(found: "Sequence[Dead]", urls: dict[str, str]) -> None:
    from kithkin.cli import tables as look

    rows = (
        (look.shorten(one.id), urls[one.webhook], f"{one.after + 1}-{one.upto}", one.error)
        for one in found
    )
    look.table("id", "url", "changes", "trouble", rows=rows)


def _tell_round(done: "Told") -> None:
    click.echo(f"Changes that were taken: {done.taken}.")
    if done.postponed:
        click.echo(f"To be tried again later: {len(done.postponed)}.")
    if done.dead:
        click.echo(f"Given up: {len(done.dead)}; see `kithkin webhooks dead`.")
