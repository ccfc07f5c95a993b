"""Who uses this installation and which programs act for them; what waits in their inboxes."""

from msgspec import Struct
from msgspec.structs import replace

from kithkin.accounts import inbox
from kithkin.accounts import store as accounts
from kithkin.accounts.inbox_wording import as_read
from kithkin.accounts.model import Account, Agent, Kind, Waiting
from kithkin.accounts.nametags import checked_nametag, new_nametag
from kithkin.clock import moment
from kithkin.contacts import store as contacts
from kithkin.contacts.addresses import address_of, speaks_at
from kithkin.contacts.model import ACCOUNT, Address, Contact
from kithkin.core.model import By
from kithkin.db import Database, Tx
from kithkin.errors import InvalidInput, NotAllowed, NotFound, Refused
from kithkin.ids import AccountId, ItemId, PersonId, SpeakerKey, new_entity_id
from kithkin.people import store as people
from kithkin.people.model import Person
from kithkin.people.rename import checked_name
from kithkin.personas.voices import voice_in
from kithkin.soil import store as soil
from kithkin.soil.model import Item


class Delivered(Struct, frozen=True):
    """Something that waits in an inbox, with the item it is."""

    waiting: Waiting
    item: Item
    text: str | None = None
    """What the agent reads: whose words they are, then the words."""


def create_account(
    db: Database, name: str, *, person: str | None = None, speaker: str | None = None, by: By
) -> Account:
    """A new account with a nametag and a self-person: an existing one, a speaker's, or new."""
    with db.transaction() as tx:
        return new_account(tx, checked_name(name), _self_person(tx, name, person, speaker, by), by)


def new_account(tx: Tx, name: str, person: PersonId, by: By) -> Account:
    """A new account for a person who has none."""
    known = accounts.of_person(tx, person)
    if known is not None:
        raise Refused(f"{known.name} has an account already: {known.nametag}.")
    account = Account(
        id=accounts.new_account_id(),
        name=name,
        person=person,
        nametag=new_nametag(taken=lambda tag: accounts.is_taken(tx, tag)),
    )
    contact = contacts.of_person(tx, person)
    # A nametag is nobody else's ever after, whatever the account is called later.
    here = Address(ACCOUNT, account.nametag, verified=True)
    contacts.save(tx, replace(contact, addresses=(*contact.addresses, here)), by=by)
    return accounts.save(tx, account, by=by)


def resolve_account_by_connector(db: Database, connector: str, key: str) -> Account | None:
    """The account a connector knows by a key."""
    with db.snapshot() as tx:
        return accounts.of_key(tx, connector, key)


def link_connector(tx: Tx, account: Account, connector: str, key: str, *, by: By) -> Account:
    """Let a connector know an account by a key."""
    keys = tuple(dict.fromkeys((*account.keys, (connector, key))))
    return accounts.save(tx, replace(account, keys=keys), by=by)


def change_nametag(db: Database, nametag: str, new: str, *, by: By) -> Account:
    """Give an account another nametag; the old one redirects."""
    wanted = checked_nametag(new)
    with db.transaction() as tx:
        account = accounts.named(tx, nametag)
        if wanted == account.nametag:
            return account
        if accounts.is_taken(tx, wanted) and wanted not in account.former_nametags:
            raise InvalidInput(f"{wanted} is somebody's nametag: choose another.")
        former = dict.fromkeys((*account.former_nametags, account.nametag))
        former.pop(wanted, None)
        renamed = replace(account, nametag=wanted, former_nametags=tuple(former))
        return accounts.save(tx, renamed, by=by)


def rename_account(db: Database, person: PersonId, name: str, *, by: By) -> None:
    """Let a person's account go by their name."""
    with db.transaction() as tx:
        account = accounts.of_person(tx, person)
        if account is not None:
            accounts.save(tx, replace(account, name=checked_name(name)), by=by)


def account_named(db: Database, nametag: str) -> Account:
    """The account that has a nametag, or had it."""
    with db.snapshot() as tx:
        return accounts.named(tx, nametag)


def owner_account(tx: Tx) -> Account:
    """The owner's account."""
    owner = contacts.owner(tx)
    account = accounts.of_person(tx, owner.person) if owner else None
    if account is None:
        raise NotFound("There is no owner yet: `kithkin init` makes one.")
    return account


def account_of(db: Database, account: AccountId | None) -> Account:
    """An account; without an id, the owner's."""
    with db.snapshot() as tx:
        return accounts.get(tx, account) if account else owner_account(tx)


def all_accounts(db: Database) -> list[Account]:
    """Every account, oldest first."""
    with db.snapshot() as tx:
        return accounts.listed(tx)


def register_agent(db: Database, nametag: str, *, name: str, kind: Kind, by: By) -> Agent:
    """A program that acts for an account from now on; what was kept for it comes to it."""
    with db.transaction() as tx:
        account = accounts.named(tx, nametag)
        name = checked_name(name)
        if any(agent.name == name for agent in accounts.agents_of(tx, account.id)):
            raise InvalidInput(f"{account.nametag} has an agent {name!r} already.")
        agent = Agent(id=accounts.new_agent_id(), account=account.id, name=name, kind=kind)
        accounts.save_agent(tx, agent, by=by)
        if kind == "frontend":
            inbox.hand_over(tx, agent)
        return agent


def agent(db: Database, uuid: str) -> Agent:
    """The agent of that id."""
    with db.snapshot() as tx:
        return accounts.get_agent(tx, uuid)


def known_speaker(db: Database, account: Account) -> SpeakerKey | None:
    """How an account's own person speaks when they do not say where, if that is known."""
    with db.snapshot() as tx:
        contact = contacts.contact_of(tx, account.person)
    address = speaks_at(contact) if contact else None
    return address.key if address else None


def own_speaker(db: Database, account: Account) -> SpeakerKey:
    """The same, for whoever cannot do without."""
    known = known_speaker(db, account)
    if known is None:
        raise NotAllowed(
            f"Nobody knows where {account.name} speaks: the owner gives them an address, or say "
            "who speaks, such as telegram:42."
        )
    return known


def require_own_speaker(db: Database, agent: Agent, speaker: str) -> None:
    """Refuse to take down the words of anybody but the account's own person.

    Others' words come in through a connector: `learn` reads them from the message.
    """
    with db.snapshot() as tx:
        person = contacts.person_at(tx, address_of(speaker))
        if person is None or person != accounts.get(tx, agent.account).person:
            raise NotAllowed(f"{speaker} is not whom this agent acts for: learn from a message.")


def require_speaker(db: Database, agent: Agent, speaker: str) -> None:
    """Refuse a speaker who is neither the agent's own account nor wrote to it."""
    address = address_of(speaker)
    with db.snapshot() as tx:
        person = contacts.person_at(tx, address)
        own = person is not None and person == accounts.get(tx, agent.account).person
        if not own and not inbox.wrote_to(tx, agent, address.key):
            raise NotAllowed(
                f"{speaker} is not whom this agent acts for, and has not written to it. "
                "An address of theirs is added with `kithkin owner address`, for others with "
                "`kithkin contacts address add`."
            )


def agents(db: Database, account: AccountId | None = None) -> list[Agent]:
    """The agents of one account, or of all."""
    with db.snapshot() as tx:
        owners = [account] if account else [one.id for one in accounts.listed(tx)]
        return [agent for one in owners for agent in accounts.agents_of(tx, one)]


def set_awake(db: Database, agent: str, *, awake: bool, by: By) -> Agent:
    """Put an agent to sleep, or wake it: what came meanwhile is in its inbox."""
    with db.transaction() as tx:
        known = accounts.get_agent(tx, agent)
        return accounts.save_agent(tx, replace(known, awake=awake), by=by)


def set_persona(db: Database, agent: str, persona: str | None, *, by: By) -> Agent:
    """Say in whose voice an agent speaks; None for the steward's."""
    with db.transaction() as tx:
        known = accounts.get_agent(tx, agent)
        voice = voice_in(tx, persona).id if persona else None
        return accounts.save_agent(tx, replace(known, persona=voice), by=by)


def post_to_account(
    tx: Tx, account: AccountId, item: ItemId, *, sender: SpeakerKey | None, now: str
) -> bool:
    """Put an item into the inbox of every frontend agent, asleep or not; whether any is there.

    With none it is kept for the account until its first one is registered.
    """
    there = accounts.agents_of(tx, account, kind="frontend")
    inbox.post(tx, account, there, item, sender=sender, now=now)
    return bool(there)


def read_inbox(db: Database, agent: Agent, *, after: int = 0, limit: int = 100) -> list[Delivered]:
    """What an agent has not acknowledged yet, in the order it came."""
    with db.snapshot() as tx:
        waiting = inbox.waiting(tx, agent, after=after, limit=limit)
        return [_delivered(tx, one) for one in waiting]


def acknowledge(db: Database, agent: Agent, waiting: str, *, by: By) -> None:
    """Remember that an agent has dealt with something."""
    with db.transaction() as tx:
        inbox.acknowledge(tx, agent, waiting, now=by.now)


def _delivered(tx: Tx, waiting: Waiting) -> Delivered:
    item = soil.get(tx, waiting.item)
    return Delivered(waiting, item, as_read(tx, item))


def _self_person(tx: Tx, name: str, person: str | None, speaker: str | None, by: By) -> PersonId:
    if person is not None:
        return people.require(tx, person).id
    if speaker is not None:
        known = contacts.person_at(tx, address_of(speaker))
        if known is None:
            raise NotFound(f"Nobody known is {speaker}. Leave it out to make a new person.")
        return known
    now = moment(by.now)
    made = Person(
        id=PersonId(new_entity_id()),
        name=checked_name(name),
        created_by=None,
        created_at=now,
        updated_at=now,
    )
    people.add(tx, made, by=by)
    contacts.save(tx, Contact(id=contacts.new_id(), person=made.id), by=by)
    return made.id
