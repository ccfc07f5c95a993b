"""Commands about what comes in and what leaves."""

import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kithkin.cli.realm import administered, answer, opened, receiving
from kithkin.cli.root import Command, Group

if TYPE_CHECKING:
    from kithkin.api.owner import Admin
    from kithkin.outbound.model import Constraint, Rule, Sending
    from kithkin.outbound.send import Outcome

_FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command(cls=Command)
@click.argument("text")
@click.option("--as", "speaker", metavar="CHANNEL:ID", required=True, help="Who wrote it.")
@click.option("--name", help="Their display name.")
@click.option("--username", help="Their handle.")
@click.option("--chat", metavar="ID", help="The chat, if it is not a private one with them.")
@click.option("--private/--group", "private", default=None, help="What kind of chat it is.")
@click.option("--participant", "participants", multiple=True, metavar="ID", help="Who is there.")
@click.option("--title", help="What the chat is called.")
@click.option("--verified/--unverified", default=None, help="Whether the sender is certain.")
@click.option("--id", "provider_id", help="The channel's own id of the message.")
@click.option("--reply-to", metavar="ID", help="The channel's id of the message it answers.")
@click.option("--connector", help="As which connector; its channel's own without it.")
def receive(speaker: str, private: bool | None, verified: bool | None, **given: Any) -> None:
    """Take a message in, as a connector does.

    A sender is certain unless the channel is e-mail, where anybody can write any address.

    \b
    Example:
      kithkin receive "Are you there?" --as telegram:4711 --name Chloe
    """
    from kithkin.contacts.addresses import address_of
    from kithkin.intake.receive import Incoming

    address = address_of(speaker)
    connector = given.pop("connector") or address.type
    message = Incoming(
        channel=address.type,
        sender=address.value,
        kind=None if private is None else ("private" if private else "shared"),
        verified=address.type != "email" if verified is None else verified,
        **{**given, "participants": tuple(given["participants"])},
    )
    with receiving(connector) as connected:
        came = connected.receive(message)

    def show() -> None:
        click.echo(came.preamble)
        to = ", ".join(came.routed) or "nobody yet: `kithkin agents register` adds an agent"
        click.echo(f"{'Known already' if came.duplicate else 'Taken in'}: {came.message}, for {to}")

    answer(came, show)


@click.command(cls=Command)
@click.argument("message")
@click.option("--to", "contact", metavar="WHO", help="A contact, by name or id.")
@click.option("--recipient", metavar="ID", help="An address on the channel, as it is.")
@click.option("--channel", help="By which channel.")
@click.option("--because-of", metavar="ITEM", help="The message this answers.")
@click.option("--reason", help="Why, for whoever is asked.")
def notify(message: str, contact: str | None, because_of: str | None, **given: Any) -> None:
    """Tell a contact, an address, or with neither the owner.

    \b
    Examples:
      kithkin notify "Dinner is ready"
      kithkin notify "See you at eight" --to Sarah --channel telegram
    """
    from kithkin.cli.contact_tables import one_contact

    with opened() as kin:
        known = one_contact(kin, contact).contact.id if contact else None
        cause = kin.full_id(because_of) if because_of else None
        outcome = kin.outbound.notify(message, contact_id=known, because_of=cause, **given)
    _tell_outcome(outcome)


@click.command(cls=Command)
@click.argument("tool")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--because-of", metavar="ITEM", help="The message this answers.")
@click.option("--reason", help="Why, for whoever is asked.")
def act(tool: str, arguments: tuple[str, ...], because_of: str | None, reason: str | None) -> None:
    """Use a tool that sends something out: at once, or once you have agreed.

    \b
    Example:
      kithkin act email_send_message to=sarah@example.com subject=Hi body="See you"
    """
    pairs = [argument.partition("=") for argument in arguments]
    if not all(mark for _, mark, _ in pairs):
        raise click.UsageError("Write arguments as NAME=VALUE.")
    given = {name: _value(value) for name, _, value in pairs}
    with opened() as kin:
        cause = kin.full_id(because_of) if because_of else None
        outcome = kin.outbound.act(tool, given, because_of=cause, reason=reason)
    _tell_outcome(outcome)


def _value(text: str) -> Any:
    if not text.startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"{text!r} is no JSON: {error}.") from error


def _tell_outcome(outcome: "Outcome") -> None:
    from kithkin.cli import tables as look
    from kithkin.outbound.send import Queued

    with administered() as admin:
        if isinstance(outcome, Queued):
            sending = admin.outbox.execute(outcome.sending)
            told: dict[str, Any] = {
                "status": "sent" if sending.state == "sent" else "queued",
                "sending": sending.id,
                "why": outcome.why,
                "error": sending.error,
            }
        else:
            admin.outbox.deliver()
            told = {"status": "asked", "question": outcome.question, "why": outcome.why}

    def show() -> None:
        if isinstance(outcome, Queued):
            look.say(f"{told['status'].capitalize()}: {outcome.why}.")
            if told["error"]:
                look.say(f"Not yet delivered: {told['error']}")
        else:
            look.say(f"You are asked first: {outcome.why}.")
            look.say(f"`kithkin questions answer {look.short(outcome.question)} approve`")

    answer(told, show)


@click.group(cls=Group)
def rules() -> None:
    """Keep your standing word on what may leave without asking.

    \b
    Example:
      kithkin rules add email_send_message to=*@example.com --max-uses 10
    """


@rules.command("list")
def rules_list() -> None:
    """List the standing rules.

    \b
    Example:
      kithkin rules list
    """
    with administered() as admin:
        found = admin.rules.list()
    answer(found, lambda: _tell_rules(found))


@rules.command("add")
@click.argument("tool")
@click.argument("constraints", nargs=-1, metavar="[ARGUMENT=VALUE]...")
@click.option("--days", type=float, help="For how long.")
@click.option("--max-uses", type=int, help="How often.")
@click.option("--reason", help="Why.")
def rules_add(
    tool: str,
    constraints: tuple[str, ...],
    days: float | None,
    max_uses: int | None,
    reason: str | None,
) -> None:
    """Let calls like this leave without asking: a value, a pattern with *, or any.

    \b
    Example:
      kithkin rules add notify contact_id=entity_1f0c9a52 --days 7
    """
    from kithkin.clock import SystemClock
    from kithkin.outbound.standing_rules import Draft, read_constraint

    expires = SystemClock().now() + timedelta(days=days) if days else None
    given = dict(read_constraint(one) for one in constraints)
    with administered() as admin:
        made = admin.rules.add(Draft(tool, given, reason, expires, max_uses))
    answer(made, lambda: _tell_rules([made]))


@rules.command("remove")
@click.argument("rule")
def rules_remove(rule: str) -> None:
    """Take a rule back.

    \b
    Example:
      kithkin rules remove entity_1f0c9a52
    """
    with administered() as admin:
        gone = admin.rules.remove(admin.full_id(rule))
    answer(gone, lambda: _tell_rules([gone]))


@rules.command("import")
@click.argument("file", type=_FILE)
def rules_import(file: Path) -> None:
    """Take in rules of an older installation, under the tools' present names.

    \b
    Example:
      kithkin rules import rules.json
    """
    with administered() as admin:
        found = list(admin.rules.import_file(file))
    answer(found, lambda: _tell_rules(found))


def _tell_rules(found: "list[Rule]") -> None:
    from kithkin.cli import tables as look

    if not found:
        look.say("No standing rules: everything that leaves is asked about.")
        return
    look.table(
        "id",
        "tool",
        "lets out",
        "used",
        "until",
        "state",
        rows=(
            (
                look.short(one.id),
                one.tool,
                ", ".join(f"{name}={_said(c)}" for name, c in one.constraints.items()) or "any",
                f"{one.uses} of {one.max_uses}" if one.max_uses else str(one.uses),
                (one.expires_at or "")[:16].replace("T", " "),
                "active" if one.active else "off",
            )
            for one in found
        ),
    )


def _said(constraint: "Constraint") -> str:
    from kithkin.outbound.model import Anything, Exactly

    if isinstance(constraint, Anything):
        return "any"
    return str(constraint.value) if isinstance(constraint, Exactly) else constraint.pattern


@click.group(cls=Group)
def outbox() -> None:
    """See what was approved and what came of it.

    \b
    Example:
      kithkin outbox list --state failed
    """


@outbox.command("list")
@click.option("--state", type=click.Choice(["due", "sent", "failed"]))
@click.option("--limit", default=50, show_default=True)
def outbox_list(state: str | None, limit: int) -> None:
    """List the newest sendings.

    \b
    Example:
      kithkin outbox list
    """
    with administered() as admin:
        found = admin.outbox.list(state=state, limit=limit)
    answer(found, lambda: _tell_outbox(found))


@outbox.command("retry")
@click.argument("sending")
def outbox_retry(sending: str) -> None:
    """Send a failed or waiting one again, now.

    \b
    Example:
      kithkin outbox retry sending_1f0c9a52
    """
    with administered() as admin:
        row = _sending(admin, sending)
        admin.outbox.retry(row)
        done = admin.outbox.execute(row)
    answer(done, lambda: _tell_outbox([done]))


@outbox.command("deliver")
@click.option("--follow", is_flag=True, help="Go on until you press Ctrl-C.")
def outbox_deliver(follow: bool) -> None:
    """Send what is due, by the channels of config.toml.

    \b
    Example:
      kithkin outbox deliver --follow
    """
    import time

    with administered() as admin:
        done = admin.outbox.deliver()
        while follow:
            time.sleep(1)
            admin.outbox.deliver()
    counts = f"{len(done.sent)} sent, {len(done.postponed)} postponed, {len(done.failed)} failed."
    answer(done, lambda: click.echo(counts))


def _sending(admin: "Admin", start: str) -> str:
    from kithkin.errors import NotFound

    found = [one.id for one in admin.outbox.list(limit=10_000) if one.id.startswith(start)]
    if len(found) != 1:
        raise NotFound(f"{start!r} names {len(found)} sendings. `kithkin outbox list` lists them.")
    return found[0]


def _tell_outbox(found: "list[Sending]") -> None:
    from kithkin.cli import tables as look

    if not found:
        look.say("Nothing was sent and nothing waits.")
        return
    look.table(
        "id",
        "by",
        "to",
        "state",
        "when",
        "attempts",
        "error",
        rows=(
            (
                look.short(one.id),
                one.channel,
                look.shorten(", ".join(t.name or t.value for t in one.targets)),
                one.state,
                look.ago(one.created_at),
                str(one.attempts),
                look.shorten(one.error or ""),
            )
            for one in found
        ),
    )
