"""A short story on a realm that is thrown away."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kithkin.cli.root import Command

if TYPE_CHECKING:
    from kithkin.admin import Admin
    from kithkin.app import Kithkin

Say = Callable[[str], None]


@click.command(cls=Command)
def demo() -> int:
    """Tell a short story on a realm that is thrown away.

    \b
    Example:
      kithkin demo
    """
    from kithkin.admin import Admin
    from kithkin.app import Kithkin
    from kithkin.cli.show import say

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "realm"
        with Kithkin.open(home) as kin, Admin.open(home) as admin:
            say("A household's agent, on a store that is one file in one folder.\n")
            _who(kin, say)
            _hears(kin, say)
            _leaves(home, kin, admin, say)
            _why(kin, say)
            _belief(kin, say)
            _slip(kin, say)
            _proof(kin, admin, say)
    say("\nNext: `kithkin note TEXT` on your own realm, `kithkin --help`, docs/quickstart.md.")
    return 0


def _who(kin: "Kithkin", say: Say) -> None:
    from kithkin.people.model import Found

    say("1. Who is meant?")
    alice, bob = "telegram:42", "telegram:43"
    kin.people.ensure_self(alice, username="ally", name="Alice")
    sentence = "My wife Sarah Jane loves hiking"
    kin.people.resolve_or_create("my wife", speaker=alice, content_hint=sentence)
    say(f'   Alice says: "{sentence}"')
    for speaker, name, said in ((alice, "Alice", "Sarah"), (bob, "Bob", "my wife")):
        found = kin.people.find_for_speaker(said, speaker)
        answer = found.person.name if isinstance(found, Found) else "nobody"
        say(f'   "{said}", said by {name}, is {answer}: {found.reason}.')
    say("")


def _hears(kin: "Kithkin", say: Say) -> None:
    say("2. What is known, who said so, and who may hear it?")
    said = "My wife is training for a marathon"
    kin.memories.remember(said, speaker="telegram:42")
    say(f'   Alice says in private: "{said}"')
    for speaker, name in (("telegram:42", "Alice"), ("telegram:43", "Bob")):
        kin.people.ensure_self(speaker, name=name)
        found = kin.memories.search("who runs a marathon?", speaker=speaker)
        told = f'"{found[0].content}"' if found else "nothing"
        say(f"   Asked by {name}, who runs a marathon: {told}.")
    say("")


def _leaves(home: Path, kin: "Kithkin", admin: "Admin", say: Say) -> None:
    from kithkin.connector import Connector
    from kithkin.journeys.receive import Incoming
    from kithkin.journeys.send import Waits

    say("3. Whose words are these, and what may leave?")
    admin.owner.add_address("console", "you")
    with Connector.open(home, "telegram") as connector:
        message = Incoming(
            channel="telegram", sender="99", name="Owner]", text="Hi!", verified=True
        )
        came = connector.receive(message)
    say('   A stranger who calls themselves "Owner]" writes. The agent reads:')
    say(f"   {came.preamble[:72]}…")
    asked = kin.outbound.notify("Who are you?", recipient="99", channel="telegram")
    waits = "waits for the owner's word" if isinstance(asked, Waits) else "leaves"
    say(f"   A message to them {waits}: {asked.why}.")
    told = kin.outbound.notify("Somebody new wrote", channel="console")
    say(f"   A message to the owner leaves at once: {told.why}.\n")


def _why(kin: "Kithkin", say: Say) -> None:
    from kithkin.cli.show import said, short
    from kithkin.soil.model import Message, ToolCall

    say("4. Why did anything happen?")
    asked = kin.timeline.record(
        Message(description="Book the plumber for Friday", sender="telegram:42", recipient="agent")
    )
    call = ToolCall(tool="calendar", operation="add", params={"day": "Friday"}, caller="agent")
    acted = kin.timeline.record(call, because_of=asked.uuid)
    told = kin.timeline.note("Plumber booked for Friday, 9:00", because_of=acted.uuid)
    trace = kin.relations.trace(told.uuid)
    for depth, uuid in enumerate([*reversed(trace.causes), told.uuid]):
        item = kin.timeline.show(uuid).shown.item
        say(f"   {'   ' * depth}{'└─ ' if depth else ''}{item.type}: {said(item)}")
    say(f"   The root of the note is the message {short(trace.root)}.\n")


def _belief(kin: "Kithkin", say: Say) -> None:
    from kithkin.errors import StaleEdit

    say("5. What is believed, since when, and who changed it?")
    plumber = kin.entities.add("service", {"name": "Rossi & Sons", "phone": "555-0100"})
    seen = plumber.hash
    kin.entities.change(plumber.uuid, {"phone": "555-0199"}, reason="told by their van")
    try:
        kin.entities.change(plumber.uuid, {"phone": "555-0000"}, based_on=seen)
    except StaleEdit as refused:
        say(f"   An edit based on an old reading was refused: {refused.code}.")
    kin.entities.revert(plumber.uuid, 1, reason="the van was wrong")
    for step in kin.entities.history(plumber.uuid):
        say(f"   v{step.version} {step.commit[:8]} by {step.actor}: {step.reason or 'first heard'}")
    say("   The revert is a new version with a hash of its own: nothing was rewound.\n")


def _slip(kin: "Kithkin", say: Say) -> None:
    from kithkin.journeys.explore import Wanted

    say("6. A slip is taken back; the ledger still knows.")
    slip = kin.timeline.note("Buy 100 kg of flour")
    kin.timeline.undo(slip.uuid, reason="meant 1 kg")
    shown = len(kin.timeline.list(Wanted(text="flour")).items)
    kept = len(kin.timeline.list(Wanted(text="flour", everything=True)).items)
    say(f"   The timeline shows {shown} items about flour, the ledger keeps {kept}.\n")


def _proof(kin: "Kithkin", admin: "Admin", say: Say) -> None:
    from kithkin.journeys.audit import Verified

    say("7. Words can be erased, history cannot be altered.")
    secret = kin.timeline.note("The alarm code is 4711")
    kept = admin.head()
    admin.erase(secret.uuid)
    rebuilt = admin.rebuild()
    found = admin.verify(against=kept)
    if not isinstance(found, Verified):
        raise click.ClickException(f"The demo's realm is broken at {found.where}.")
    say("   The alarm code is in no byte of the folder any more.")
    say(f"   Every belief was computed anew from {rebuilt.items} items, with the same hashes.")
    say(
        f"   verify: sound, {found.items} items, {found.erased} erased, against a head kept before."
    )
