"""Commands about contacts and the owner."""

from pathlib import Path
from typing import Any

import click

from kithkin.cli.contact_tables import one_contact, tell, tell_all, wire
from kithkin.cli.realm import administered, answer, opened
from kithkin.cli.root import Group

_CONTEXT = click.option(
    "--context", type=click.Choice(["work", "personal"]), help="What it is for."
)


@click.group(cls=Group)
def contacts() -> None:
    """Keep the address book: who is reached where, and who an unknown sender is.

    \b
    Examples:
      kithkin contacts add "Sarah Jane" --telegram 4711
      kithkin contacts pending
      kithkin contacts settle entity_1f0c9a52 --merge Sarah
    """


@contacts.command("list")
@click.option("--all", "everyone", is_flag=True, help="Also those that are not listed.")
@click.option("--standing", type=click.Choice(["settled", "pending", "archived", "blocked"]))
def list_(everyone: bool, standing: str | None) -> None:
    """List the contacts.

    \b
    Example:
      kithkin contacts list --standing blocked --all
    """
    with opened() as kin:
        cards = kin.contacts.list(standing=standing, unlisted=everyone)
    answer([wire(card) for card in cards], lambda: tell_all(cards))


@contacts.command()
@click.argument("who")
def show(who: str) -> None:
    """Show one contact; secured values are masked.

    \b
    Example:
      kithkin contacts show Sarah
    """
    with opened() as kin:
        card = one_contact(kin, who)
    answer(wire(card), lambda: tell(card))


@contacts.command()
@click.argument("name")
@click.option("--first-name")
@click.option("--last-name")
@click.option("--person", help="Somebody known who has no contact yet.")
@click.option("--telegram", metavar="ID", help="Their telegram id.")
@click.option("--email", metavar="ADDRESS", help="Their e-mail address.")
def add(
    name: str,
    first_name: str | None,
    last_name: str | None,
    person: str | None,
    telegram: str | None,
    email: str | None,
) -> None:
    """Add a contact.

    \b
    Example:
      kithkin contacts add "Sarah Jane" --email sarah@example.com
    """
    from kithkin.cli.person_tables import one
    from kithkin.identity.address_book import Details

    with opened() as kin, administered() as admin:
        known = one(kin, person) if person else None
        card = admin.contacts.add(Details(name, first_name, last_name, known))
        for channel, value in (("telegram", telegram), ("email", email)):
            if value:
                card = admin.contacts.add_address(card.contact.id, channel, value, primary=True)
    answer(wire(card), lambda: tell(card))


@contacts.command()
@click.argument("who")
@click.option("--name")
@click.option("--first-name")
@click.option("--last-name")
@click.option("--listed/--unlisted", default=None, help="Whether it is shown in lists.")
@click.option("--prefer", metavar="CHANNEL", help="The channel they are told things by.")
def edit(who: str, listed: bool | None, prefer: str | None, **names: str | None) -> None:
    """Change what is written of a contact.

    \b
    Example:
      kithkin contacts edit Sarah --last-name Smith
    """
    given: dict[str, Any] = {**names, "listed": listed, "preferred_channel": prefer}
    changes = {name: value for name, value in given.items() if value is not None}
    with opened() as kin, administered() as admin:
        card = admin.contacts.edit(one_contact(kin, who).contact.id, **changes)
    answer(wire(card), lambda: tell(card))


@contacts.command()
@click.argument("who")
@click.argument("role", nargs=-1)
def roles(who: str, role: tuple[str, ...]) -> None:
    """Say which roles a contact has; none takes them all away.

    \b
    Example:
      kithkin contacts roles Sarah family
    """
    with opened() as kin, administered() as admin:
        card = admin.contacts.set_roles(one_contact(kin, who).contact.id, *role)
    answer(wire(card), lambda: tell(card))


@contacts.command()
def pending() -> None:
    """List senders of whom nobody has said yet who they are.

    \b
    Example:
      kithkin contacts pending
    """
    with opened() as kin:
        cards = kin.contacts.list(standing="pending", unlisted=True)
    answer([wire(card) for card in cards], lambda: tell_all(cards))


@contacts.command()
@click.argument("who")
@click.option("--merge", metavar="WHOM", help="It is somebody known.")
@click.option("--confirm", is_flag=True, help="It is somebody new.")
@click.option("--name", help="With --confirm: what they are called.")
@click.option("--archive", is_flag=True, help="Leave it be; it stays recoverable.")
@click.option("--block", is_flag=True, help="Record what it sends and give it to nobody.")
@click.option("--reopen", is_flag=True, help="Take a settling back.")
def settle(who: str, merge: str | None, name: str | None, **ways: bool) -> None:
    """Say who an unknown sender is; each way can be taken back.

    \b
    Example:
      kithkin contacts settle entity_1f0c9a52 --confirm --name "Chloe Smith"
    """
    chosen = [way for way, meant in ways.items() if meant]
    if len(chosen) + bool(merge) != 1:
        raise click.UsageError("Say one of --merge, --confirm, --archive, --block, --reopen.")
    with opened() as kin, administered() as admin:
        contact = one_contact(kin, who).contact.id
        if merge:
            contact = admin.contacts.merge_into(contact, one_contact(kin, merge).contact.id).id
        elif chosen == ["confirm"]:
            admin.contacts.confirm(contact, name=name)
        else:
            getattr(admin.contacts, chosen[0])(contact)
        card = kin.contacts.show(contact)
    answer(wire(card), lambda: tell(card))


@contacts.command()
@click.argument("who")
@click.argument("into")
def merge(who: str, into: str) -> None:
    """Make one contact of two: everything of the first goes to the second.

    \b
    Example:
      kithkin contacts merge entity_1f0c9a52 Sarah
    """
    with opened() as kin, administered() as admin:
        first, second = one_contact(kin, who), one_contact(kin, into)
        merged = admin.contacts.merge_into(first.contact.id, second.contact.id)
        card = kin.contacts.show(merged.id)
    answer(wire(card), lambda: tell(card))


@contacts.command()
@click.argument("who")
@click.argument("kind")
def reveal(who: str, kind: str) -> None:
    """Show a secured value; each look is recorded.

    \b
    Example:
      kithkin contacts reveal owner email_password
    """
    with opened() as kin, administered() as admin:
        contact = admin.owner.show() if who == "owner" else one_contact(kin, who)
        value = admin.contacts.reveal(contact.contact.id, kind)
    answer({"value": value}, lambda: click.echo(value))


@contacts.command("import")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
def import_(file: Path) -> None:
    """Take in the contacts of an older installation: a JSON list, each with its contact_info.

    Roles stay behind, but the owner's, whose addresses become yours. An address that somebody has
    already stays theirs.

    \b
    Example:
      kithkin contacts import contacts.json
    """
    with administered(create=True) as admin:
        brought = admin.contacts.import_file(file)

    def show() -> None:
        tell_all(list(brought.contacts))
        for left in brought.left_out:
            click.echo(f"Left out: {left}")

    told = {"contacts": [wire(one) for one in brought.contacts], "left_out": brought.left_out}
    answer(told, show)


@contacts.group(cls=Group)
def address() -> None:
    """Add, remove and move addresses.

    \b
    Example:
      kithkin contacts address add Sarah email sarah@example.com --primary
    """


@address.command("add")
@click.argument("who")
@click.argument("channel")
@click.argument("value", required=False)
@click.option("--primary", is_flag=True, help="Use it first.")
@click.option("--secured", is_flag=True, help="A secret: asked for, sealed and masked.")
@_CONTEXT
def address_add(
    who: str, channel: str, value: str | None, primary: bool, secured: bool, context: Any
) -> None:
    """Add an address, or with --secured a secret such as a password.

    \b
    Example:
      kithkin contacts address add Sarah telegram 4711
    """
    if secured == (value is not None):
        raise click.UsageError("Give a value, or --secured to be asked for a secret.")
    with opened() as kin, administered() as admin:
        contact = one_contact(kin, who).contact.id
        if secured:
            secret = click.prompt(channel, hide_input=True, err=True)
            card = admin.contacts.add_secret(contact, channel, secret)
        else:
            card = admin.contacts.add_address(
                contact, channel, str(value), primary=primary, context=context
            )
    answer(wire(card), lambda: tell(card))


@address.command("remove")
@click.argument("who")
@click.argument("channel")
@click.argument("value", default="")
def address_remove(who: str, channel: str, value: str) -> None:
    """Remove an address; of a secured one, the secret is destroyed.

    \b
    Example:
      kithkin contacts address remove Sarah telegram 4711
    """
    with opened() as kin, administered() as admin:
        contact = one_contact(kin, who).contact.id
        card = admin.contacts.remove_address(contact, channel, value)
    answer(wire(card), lambda: tell(card))


@address.command("primary")
@click.argument("who")
@click.argument("channel")
@click.argument("value")
def address_primary(who: str, channel: str, value: str) -> None:
    """Say which address of a channel is used first.

    \b
    Example:
      kithkin contacts address primary Sarah email sarah@example.com
    """
    with opened() as kin, administered() as admin:
        contact = one_contact(kin, who).contact.id
        card = admin.contacts.make_primary(contact, channel, value)
    answer(wire(card), lambda: tell(card))


@address.command("move")
@click.argument("channel")
@click.argument("value")
@click.argument("to")
def address_move(channel: str, value: str, to: str) -> None:
    """Give an address to another contact; old messages keep who wrote them.

    \b
    Example:
      kithkin contacts address move telegram 4711 Sarah
    """
    with opened() as kin, administered() as admin:
        card = admin.contacts.move_address(channel, value, one_contact(kin, to).contact.id)
    answer(wire(card), lambda: tell(card))


@click.group(cls=Group)
def owner() -> None:
    """Say who this installation belongs to and where they are reached.

    \b
    Example:
      kithkin owner setup --name Ann --telegram 4711
    """


@owner.command("show")
def owner_show() -> None:
    """Show the owner's contact.

    \b
    Example:
      kithkin owner show
    """
    with administered() as admin:
        card, ready = admin.owner.show(), admin.owner.is_set_up()

    def tell_owner() -> None:
        tell(card)
        if not ready:
            click.echo(
                "You cannot be told anything yet: "
                "`kithkin owner setup --telegram ID` or `--email ADDRESS`."
            )

    answer({**wire(card), "set_up": ready}, tell_owner)


@owner.command("setup")
@click.option("--name", help="What you are called.")
@click.option("--telegram", metavar="ID", help="Your telegram id.")
@click.option("--email", metavar="ADDRESS", help="Your e-mail address.")
@click.option("--prefer", metavar="CHANNEL", help="The channel you are told things by.")
def owner_setup(
    name: str | None, telegram: str | None, email: str | None, prefer: str | None
) -> None:
    """Say who you are; asked for at a terminal when nothing is given.

    \b
    Example:
      kithkin owner setup --name Ann --telegram 4711 --prefer telegram
    """
    with administered(create=True) as admin:
        if not any((name, telegram, email, prefer)):
            name = click.prompt("Your name", default=admin.owner.show().name)
            telegram = click.prompt("Your telegram id (empty for none)", default="")
            email = click.prompt("Your e-mail address (empty for none)", default="")
        card = admin.owner.rename(name) if name else admin.owner.show()
        for channel, value in (("telegram", telegram), ("email", email)):
            card = admin.owner.add_address(channel, value) if value else card
        card = admin.owner.prefer(prefer) if prefer else card
    answer(wire(card), lambda: tell(card))


@owner.command("password")
@click.option("--link", is_flag=True, help="Print a code that sets it once, at /welcome.")
def owner_password(link: bool) -> None:
    """Set the password you log in with; it is asked for, or read from a pipe.

    \b
    Examples:
      kithkin owner password
      kithkin owner password --link
    """
    import sys
    from functools import partial

    with administered(create=True) as admin:
        if link:
            code = admin.owner.password_link()
            answer({"code": code}, lambda: click.echo(code))
            return
        piped = not sys.stdin.isatty()
        prompt = partial(click.prompt, hide_input=True, confirmation_prompt="Once more", err=True)
        admin.owner.set_password(sys.stdin.read().strip() if piped else prompt("New password"))
    answer({"set": True}, lambda: click.echo("The password is set; everybody is logged out."))


@owner.command("address")
@click.argument("channel")
@click.argument("value")
@click.option("--remove", is_flag=True, help="Take it away instead.")
def owner_address(channel: str, value: str, remove: bool) -> None:
    """Add an address of yours, or take one away.

    \b
    Example:
      kithkin owner address email ann@example.com
    """
    with administered(create=True) as admin:
        if remove:
            contact = admin.owner.show().contact.id
            card = admin.contacts.remove_address(contact, channel, value)
        else:
            card = admin.owner.add_address(channel, value)
    answer(wire(card), lambda: tell(card))
