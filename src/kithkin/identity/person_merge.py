"""Two records of one person become one, and two again; which records may be one."""

from msgspec import Struct
from msgspec.structs import replace

from kithkin.clock import moment
from kithkin.config import Config
from kithkin.contacts import store as contacts
from kithkin.contacts.model import Address, Contact
from kithkin.contacts.preamble import spoken
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import Refused
from kithkin.ids import PersonId, QuestionId, new_entity_id
from kithkin.people import store as people
from kithkin.people.merge import MergePlan, plan_merge, plan_unmerge
from kithkin.people.model import Person
from kithkin.people.store import Merge
from kithkin.questions import ask, owner_notice
from kithkin.questions import store as questions
from kithkin.questions.model import Question


class Preview(Struct, frozen=True):
    """What a merge would move, and what a human should look at first."""

    plan: MergePlan
    addresses: tuple[Address, ...]


def preview(db: Database, primary: str, secondary: str, *, by: By) -> Preview:
    """What merging would do; nothing is changed."""
    with db.snapshot() as tx:
        return _planned(tx, primary, secondary, by)


def merge(db: Database, primary: str, secondary: str, *, by: By) -> Merge:
    """Make one record of two. The secondary stays as a redirect; nothing is lost."""
    with db.transaction() as tx:
        planned = _planned(tx, primary, secondary, by)
        before = people.require(tx, secondary)
        people.save(tx, planned.plan.primary, by=by)
        people.save(tx, planned.plan.secondary, by=by)
        _join(tx, before.id, planned.plan.primary.id, by=by)
        kept = Merge(
            id=new_entity_id(),
            plan=planned.plan,
            before=before,
            addresses=tuple((one.type, one.value) for one in planned.addresses),
        )
        people.keep_merge(tx, kept, by=by)
    return kept


def propose(
    db: Database, primary: str, secondary: str, *, reason: str, config: Config, by: By
) -> QuestionId:
    """Ask the owner whether two records are one person."""
    with db.transaction() as tx:
        plan = _planned(tx, primary, secondary, by).plan
        names = " and ".join(_described(tx, one) for one in (plan.primary, plan.secondary))
        question = Question(
            id=questions.new_id(),
            kind="protected",
            text=f"{by.actor} thinks that {names} are one person{_because(reason)}. Are they?",
            options=("approve", "reject"),
            dedup=f"merge:{':'.join(sorted((primary, secondary)))}",
            asked_at=by.now,
            asked_after=0,
            subject=primary,
            details={"change": "merge", "primary": primary, "secondary": secondary},
        )
        return owner_notice.ask_owner(tx, question, config=config, by=by)


def _described(tx: Tx, person: Person) -> str:
    """A name can be anybody's: the addresses say whose places would become one."""
    contact = contacts.contact_of(tx, person.id)
    owner = "the owner, " if contact and contact.is_owner else ""
    keys = ", ".join(sorted(contacts.keys_of(tx, person.id))) or "no address"
    return f"{spoken(person.name)} ({owner}{keys})"


def _because(reason: str) -> str:
    return f" ({spoken(reason)})" if reason.strip() else ""


def unmerge(db: Database, merge_id: str, *, by: By) -> tuple[Person, Person]:
    """Make two records of one again; what was changed since stays on the right one."""
    with db.transaction() as tx:
        kept = people.get_merge(tx, merge_id)
        if kept.undone:
            raise Refused(f"{merge_id} was undone already.")
        primary = people.require(tx, kept.plan.primary.id)
        secondary = people.require(tx, kept.plan.secondary.id)
        plan = plan_unmerge(
            kept.plan,
            before=kept.before,
            primary=primary,
            secondary=secondary,
            others=_others(tx, primary.id, besides=secondary.id),
            now=moment(by.now),
        )
        people.save(tx, plan.primary, by=by)
        people.save(tx, plan.secondary, by=by)
        _part(tx, kept, primary.id, secondary.id, by=by)
        people.keep_merge(tx, replace(kept, undone=True), by=by)
    return plan.primary, plan.secondary


def merges_of(db: Database, person: str) -> list[Merge]:
    """Every merge a person took part in."""
    with db.snapshot() as tx:
        people.require(tx, person)
        return people.merges_of(tx, person)


def _planned(tx: Tx, primary: str, secondary: str, by: By) -> Preview:
    plan = plan_merge(
        people.require(tx, primary),
        people.require(tx, secondary),
        now=moment(by.now),
        get=lambda person: people.get(tx, person),
    )
    contact = contacts.contact_of(tx, plan.secondary.id)
    return Preview(plan=plan, addresses=contact.addresses if contact else ())


def _join(tx: Tx, source: PersonId, target: PersonId, *, by: By) -> None:
    """The contact goes with its person: its addresses move, and it stays as a redirect."""
    contact = contacts.contact_of(tx, source)
    if contact is None:
        return
    if contact.is_owner:
        raise Refused("The owner's record stays: merge the other one into it instead.")
    known = contacts.contact_of(tx, target) or contacts.give(tx, target, (), by=by)
    contacts.save(tx, replace(contact, addresses=(), merged_into=known.id), by=by)
    contacts.give(tx, target, _beside(known, contact.addresses), by=by)
    ask.withdraw(tx, ask.unknown_sender(contact.id), by=by)


def _beside(known: Contact, moved: tuple[Address, ...]) -> tuple[Address, ...]:
    """The addresses as they come to a contact whose own primary ones stay the primary ones."""
    taken = {one.type for one in known.addresses if one.is_primary}
    return tuple(replace(one, is_primary=one.is_primary and one.type not in taken) for one in moved)


def _part(tx: Tx, kept: Merge, primary: PersonId, secondary: PersonId, *, by: By) -> None:
    contact = contacts.contact_of(tx, secondary)
    known = contacts.contact_of(tx, primary)
    if contact is None or known is None:
        return
    moved = {Address(*one).key for one in kept.addresses}
    back = tuple(one for one in known.addresses if one.key in moved)
    contacts.take(tx, primary, back, by=by)
    contacts.save(tx, replace(contact, addresses=back, merged_into=None), by=by)


def _others(tx: Tx, primary: PersonId, *, besides: PersonId) -> list[Person]:
    """Other records that stand as they were before they were merged into the same one."""
    return [
        one.before
        for one in people.merges_of(tx, primary)
        if not one.undone and one.plan.primary.id == primary and one.before.id != besides
    ]
