"""Every verb that is the owner's alone: the method, where REST finds it, and an example."""

from typing import Final

from kithkin.api.owner import Admin
from kithkin.api.owner_accounts import Accounts, Agents
from kithkin.api.owner_contacts import Contacts, Owner
from kithkin.api.owner_memories import OwnedMemories
from kithkin.api.owner_outbound import Answers, Credentials, Outbox, Rules
from kithkin.api.owner_personas import Cast, OwnedDoubts, OwnedProfile
from kithkin.api.owner_tokens import Tokens
from kithkin.api.owner_webhooks import Webhooks
from kithkin.verb import Verb, of

_EMAIL: Final = {"channel": "email", "value": "sarah@example.com"}

_OWNER: Final = of(
    "owner",
    Verb(does=Owner.show, route="GET /v1/owner"),
    Verb(does=Owner.rename, route="PATCH /v1/owner", example={"name": "Alice"}),
    Verb(does=Owner.is_set_up, route="GET /v1/owner/is-set-up"),
    Verb(
        does=Owner.add_address,
        route="POST /v1/owner/addresses",
        example={"channel": "email", "value": "alice@example.com"},
    ),
    Verb(does=Owner.has_password, route="GET /v1/owner/password"),
    Verb(
        does=Owner.set_password,
        route="PUT /v1/owner/password",
        status=204,
        secret=True,
        example={"password": "correct horse battery"},
    ),
    Verb(does=Owner.prefer, route="PUT /v1/owner/preference", example={"channel": "email"}),
)

_CONTACTS: Final = of(
    "contacts",
    Verb(
        does=Contacts.add,
        route="POST /v1/contacts",
        example={"details": {"name": "Sarah Jane"}},
    ),
    Verb(does=Contacts.pending, route="GET /v1/contacts/pending"),
    Verb(does=Contacts.import_file, route="POST /v1/contacts/import", carries="file up"),
    Verb(
        does=Contacts.move_address,
        route="POST /v1/contacts/addresses/move",
        example={**_EMAIL, "contact": "entity_1"},
    ),
    Verb(
        does=Contacts.edit,
        route="PATCH /v1/owner/contacts/{contact}",
        example={"changes": {"preferred_channel": "email"}},
    ),
    Verb(
        does=Contacts.set_roles,
        route="PUT /v1/contacts/{contact}/roles",
        example={"roles": ["family"]},
    ),
    Verb(does=Contacts.add_address, route="POST /v1/contacts/{contact}/addresses", example=_EMAIL),
    Verb(
        does=Contacts.remove_address,
        route="DELETE /v1/contacts/{contact}/addresses",
        example=_EMAIL,
    ),
    Verb(
        does=Contacts.make_primary,
        route="POST /v1/contacts/{contact}/addresses/primary",
        example=_EMAIL,
    ),
    Verb(
        does=Contacts.add_secret,
        route="PUT /v1/contacts/{contact}/secrets/{kind}",
        secret=True,
        example={"value": "a secret"},
    ),
    Verb(does=Contacts.reveal, route="GET /v1/contacts/{contact}/secrets/{kind}", secret=True),
    Verb(
        does=Contacts.merge_into,
        route="POST /v1/contacts/{contact}/merge",
        example={"into": "Sarah"},
    ),
    Verb(
        does=Contacts.confirm,
        route="POST /v1/contacts/{contact}/confirm",
        example={"name": "Sarah"},
    ),
    Verb(does=Contacts.archive, route="POST /v1/contacts/{contact}/archive"),
    Verb(does=Contacts.block, route="POST /v1/contacts/{contact}/block"),
    Verb(does=Contacts.reopen, route="POST /v1/contacts/{contact}/reopen"),
)

_ACCOUNTS: Final = of(
    "accounts",
    Verb(does=Accounts.list, route="GET /v1/accounts"),
    Verb(does=Accounts.create, route="POST /v1/accounts", example={"name": "Sam"}),
    Verb(does=Accounts.show, route="GET /v1/accounts/{nametag}"),
    Verb(
        does=Accounts.change_nametag,
        route="PATCH /v1/accounts/{nametag}",
        example={"new": "clever-sam-11"},
    ),
)

_AGENTS: Final = of(
    "agents",
    Verb(does=Agents.list, route="GET /v1/agents"),
    Verb(
        does=Agents.register,
        route="POST /v1/agents",
        example={"nametag": "brave-otter-42", "name": "main", "kind": "frontend"},
    ),
    Verb(
        does=Agents.set_persona,
        route="PUT /v1/agents/{agent}/persona",
        example={"persona": "Frodo"},
    ),
    Verb(does=Agents.set_awake, route="PATCH /v1/agents/{agent}", example={"awake": False}),
)

_TOKENS: Final = of(
    "tokens",
    Verb(does=Tokens.list, route="GET /v1/tokens"),
    Verb(
        does=Tokens.create,
        route="POST /v1/tokens",
        secret=True,
        example={"account": "brave-otter-42", "agent": "main", "kind": "frontend"},
    ),
    Verb(does=Tokens.revoke, route="DELETE /v1/tokens/{token}"),
)

_WEBHOOKS: Final = of(
    "webhooks",
    Verb(does=Webhooks.list, route="GET /v1/webhooks"),
    Verb(
        does=Webhooks.add,
        route="POST /v1/webhooks",
        secret=True,
        example={"url": "https://example.com/kithkin", "types": ["person"]},
    ),
    Verb(does=Webhooks.deliver, route="POST /v1/webhooks/deliver"),
    Verb(does=Webhooks.dead, route="GET /v1/webhooks/dead"),
    Verb(does=Webhooks.retry, route="POST /v1/webhooks/dead/{dead}/retry"),
    Verb(does=Webhooks.remove, route="DELETE /v1/webhooks/{webhook}"),
)

_RULES: Final = of(
    "rules",
    Verb(does=Rules.list, route="GET /v1/rules"),
    Verb(
        does=Rules.add,
        route="POST /v1/rules",
        example={"draft": {"tool": "email_send", "constraints": {}}},
    ),
    Verb(does=Rules.import_file, route="POST /v1/rules/import", carries="file up"),
    Verb(does=Rules.remove, route="DELETE /v1/rules/{rule}"),
)

_QUESTIONS: Final = of(
    "questions",
    Verb(does=Answers.list, route="GET /v1/owner/questions"),
    Verb(
        does=Answers.answer_batch,
        route="POST /v1/questions/answers",
        example={"answers": {"entity_1": "yes"}},
    ),
    Verb(does=Answers.show, route="GET /v1/owner/questions/{question}"),
    Verb(does=Answers.arguments, route="GET /v1/questions/{question}/arguments"),
    Verb(
        does=Answers.answer,
        route="POST /v1/questions/{question}/answer",
        example={"text": "yes"},
    ),
)

_OUTBOX: Final = of(
    "outbox",
    Verb(does=Outbox.list, route="GET /v1/outbox"),
    Verb(does=Outbox.deliver, route="POST /v1/outbox/deliver"),
    Verb(does=Outbox.retry, route="POST /v1/outbox/{sending}/retry"),
    Verb(does=Outbox.execute, route="POST /v1/outbox/{sending}/execute"),
)

_CREDENTIALS: Final = of(
    "credentials",
    Verb(does=Credentials.list, route="GET /v1/credentials"),
    Verb(does=Credentials.rotate, route="POST /v1/credentials/rotate"),
    Verb(does=Credentials.import_file, route="POST /v1/credentials/import", carries="file up"),
    Verb(does=Credentials.find, route="GET /v1/credentials/{key}"),
    Verb(
        does=Credentials.put,
        route="PUT /v1/credentials/{key}",
        secret=True,
        example={"value": "a secret"},
    ),
    Verb(does=Credentials.reveal, route="GET /v1/credentials/{key}/value", secret=True),
)

_MEMORIES: Final = of(
    "memories",
    Verb(does=OwnedMemories.list, route="GET /v1/owner/memories"),
    Verb(
        does=OwnedMemories.add,
        route="POST /v1/owner/memories",
        example={"content": "The house has a blue door"},
    ),
    Verb(
        does=OwnedMemories.search,
        route="POST /v1/owner/memories/search",
        reads=True,
        example={"question": "which door is ours?"},
    ),
    Verb(does=OwnedMemories.stats, route="GET /v1/owner/memories/stats"),
    Verb(
        does=OwnedMemories.sweep,
        route="POST /v1/owner/memories/sweep",
        example={"dry_run": True},
    ),
    Verb(does=OwnedMemories.show, route="GET /v1/owner/memories/{memory}"),
    Verb(
        does=OwnedMemories.edit,
        route="PATCH /v1/owner/memories/{memory}",
        example={"changes": {"content": "The door is green"}},
    ),
    Verb(does=OwnedMemories.history, route="GET /v1/owner/memories/{memory}/history"),
    Verb(does=OwnedMemories.undo, route="POST /v1/owner/memories/{memory}/undo"),
    Verb(
        does=OwnedMemories.forget,
        route="POST /v1/forgetting/memories/{memory}",
        example={"manner": {"done": False}},
    ),
    Verb(
        does=OwnedMemories.forget_person,
        route="POST /v1/forgetting/people/{person}",
        example={"manner": {"done": False}},
    ),
    Verb(
        does=OwnedMemories.forget_chat,
        route="POST /v1/forgetting/chats/{chat}",
        example={"manner": {"done": False}},
    ),
)

_PERSONAS: Final = of(
    "personas",
    Verb(does=Cast.list, route="GET /v1/owner/personas"),
    Verb(does=Cast.add, route="POST /v1/personas", example={"draft": {"name": "Frodo"}}),
    Verb(
        does=Cast.edit,
        route="PATCH /v1/personas/{name}",
        example={"draft": {"group": "Middle-earth"}},
    ),
    Verb(
        does=Cast.archive,
        route="POST /v1/personas/{name}/archive",
        example={"archived": True},
    ),
    Verb(does=Cast.make_steward, route="POST /v1/personas/{name}/make-steward"),
)

_PROFILE: Final = of(
    "profile",
    Verb(does=OwnedProfile.show, route="GET /v1/owner/profile/{item}"),
    Verb(does=OwnedProfile.real, route="POST /v1/profile/{item}/real"),
    Verb(does=OwnedProfile.lock, route="POST /v1/profile/{item}/lock"),
    Verb(does=OwnedProfile.unlock, route="POST /v1/profile/{item}/unlock"),
)

_DOUBTS: Final = of(
    "doubts",
    Verb(does=OwnedDoubts.list, route="GET /v1/owner/doubts"),
    Verb(does=OwnedDoubts.ask, route="POST /v1/owner/doubts/ask", example={"tell": False}),
    Verb(does=OwnedDoubts.ask_daily, route="POST /v1/owner/doubts/ask-daily"),
    Verb(
        does=OwnedDoubts.answer,
        route="POST /v1/owner/doubts/answer",
        example={"text": "1 real, 2 not"},
    ),
)

_REALM: Final = of(
    "",
    Verb(
        does=Admin.preview_merge,
        route="GET /v1/merges/preview",
        example={"primary": "entity_1", "secondary": "entity_2"},
    ),
    Verb(
        does=Admin.merge,
        route="POST /v1/merges",
        example={"primary": "entity_1", "secondary": "entity_2"},
    ),
    Verb(does=Admin.merges, route="GET /v1/people/{person}/merges"),
    Verb(does=Admin.unmerge, route="DELETE /v1/merges/{merge_id}"),
    Verb(does=Admin.check_people, route="GET /v1/people/check"),
    Verb(does=Admin.verify, route="POST /v1/ledger/verify", reads=True),
    Verb(does=Admin.rebuild, route="POST /v1/ledger/rebuild"),
    Verb(does=Admin.head, route="GET /v1/ledger/head"),
    Verb(does=Admin.sweep, route="POST /v1/sweep", example={"dry_run": True}),
    Verb(does=Admin.erase, route="POST /v1/erase/{uuid}"),
    Verb(does=Admin.doctor, route="GET /v1/doctor"),
    Verb(does=Admin.why, route="GET /v1/owner/why/{uuid}"),
    Verb(does=Admin.full_id, route="GET /v1/owner/ids/{start}"),
    Verb(does=Admin.export_people, route="GET /v1/export/people"),
    Verb(does=Admin.import_people, route="POST /v1/import/people", carries="file up"),
    Verb(does=Admin.backup, route="GET /v1/export/backup", carries="file down"),
    Verb(does=Admin.restore, route="POST /v1/import/backup", carries="file up"),
    Verb(does=Admin.export_soil, route="GET /v1/export/soil", carries="file down"),
)

VERBS: Final[tuple[Verb, ...]] = tuple(
    of_owner
    for part in (
        _OWNER,
        _CONTACTS,
        _ACCOUNTS,
        _AGENTS,
        _TOKENS,
        _WEBHOOKS,
        _RULES,
        _QUESTIONS,
        _OUTBOX,
        _CREDENTIALS,
        _MEMORIES,
        _PERSONAS,
        _PROFILE,
        _DOUBTS,
        _REALM,
    )
    for verb in part
    for of_owner in of(verb.part, verb, authority="owner")
)
"""In the order a reader meets them."""

AT_HOME: Final = {
    "owner.password_link": "whoever starts the server prints it where they sit",
}
"""What the facade has and no route does, with the reason. A house test holds the two together."""
