"""Who: people, contacts, friends, and what passes between them."""

from typing import Final

from kithkin.api.contacts import Contacts
from kithkin.api.friends import Friends
from kithkin.api.inbox import Inbox
from kithkin.api.outbound import Outbound
from kithkin.api.people import People
from kithkin.api.personas import Doubts, Personas, Profile
from kithkin.api.questions import Questions
from kithkin.verb import Verb, of

_SPEAKER: Final = "telegram:42"
_SAID: Final = {"speaker": _SPEAKER}

PEOPLE: Final = tuple(
    of(
        "people",
        Verb(
            does=People.list_all,
            route="GET /v1/people",
            cursor="id",
            example={"limit": 50},
        ),
        Verb(
            does=People.resolve_or_create,
            route="POST /v1/people",
            example={
                "reference": "my wife",
                "speaker": _SPEAKER,
                "content_hint": "My wife Sarah loves hiking",
            },
        ),
        Verb(
            does=People.find,
            route="POST /v1/people/find",
            reads=True,
            example={"reference": "Sarah"},
        ),
        Verb(
            does=People.find_for_speaker,
            route="POST /v1/people/resolve",
            reads=True,
            example={"reference": "my wife", "speaker": _SPEAKER},
        ),
        Verb(
            does=People.ensure_self,
            route="POST /v1/people/self",
            example={"speaker": _SPEAKER, "username": "sksembhi", "name": "Alice"},
        ),
        Verb(does=People.get_all, route="GET /v1/people/records", cursor="id"),
        Verb(does=People.duplicates, route="GET /v1/people/duplicates"),
        Verb(does=People.prompt_section, route="GET /v1/people/prompt", example=_SAID),
        Verb(
            does=People.find_person_ids_for_username,
            route="GET /v1/people/by-username",
            example={"username": "sksembhi"},
        ),
        Verb(
            does=People.propose_merge,
            route="POST /v1/people/merges",
            example={"primary": "entity_1", "secondary": "entity_2", "reason": "one address"},
        ),
        Verb(does=People.get, route="GET /v1/people/{person}"),
        Verb(does=People.rename, route="PATCH /v1/people/{person}", example={"name": "Sarah Jane"}),
        Verb(
            does=People.add_alias,
            route="POST /v1/people/{person}/aliases",
            example={"alias": "Sally", **_SAID},
        ),
        Verb(
            does=People.remove_alias,
            route="DELETE /v1/people/{person}/aliases",
            example={"alias": "Sally", **_SAID},
        ),
        Verb(
            does=People.claim_relationship,
            route="POST /v1/people/{person}/relationships",
            example={"relationship": "wife", **_SAID},
        ),
        Verb(
            does=People.unclaim_relationship,
            route="DELETE /v1/people/{person}/relationships",
            example={"relationship": "wife", **_SAID},
        ),
    )
)

CONTACTS: Final = tuple(
    of(
        "contacts",
        Verb(does=Contacts.list, route="GET /v1/contacts"),
        Verb(
            does=Contacts.resolve_contact_by_channel,
            route="GET /v1/contacts/resolve",
            example={"channel": "telegram", "value": "42"},
        ),
        Verb(does=Contacts.show, route="GET /v1/contacts/{contact}"),
        Verb(
            does=Contacts.edit,
            route="PATCH /v1/contacts/{contact}",
            example={"changes": {"first_name": "Sarah"}},
        ),
        Verb(
            does=Contacts.propose_address,
            route="POST /v1/contacts/{contact}/addresses/proposals",
            example={"channel": "email", "value": "sarah@example.com"},
        ),
    )
)

INBOX: Final = tuple(
    of(
        "inbox",
        Verb(does=Inbox.list, route="GET /v1/inbox", cursor="waiting.seq"),
        Verb(does=Inbox.whoami, route="GET /v1/inbox/me"),
        Verb(does=Inbox.sleep, route="POST /v1/inbox/sleep"),
        Verb(does=Inbox.wake, route="POST /v1/inbox/wake"),
        Verb(does=Inbox.ack, route="POST /v1/inbox/{entry}/ack", status=204),
    )
)

FRIENDS: Final = tuple(
    of(
        "friends",
        Verb(does=Friends.list, route="GET /v1/friends"),
        Verb(does=Friends.add, route="POST /v1/friends", example={"nametag": "brave-otter-42"}),
        Verb(does=Friends.remove, route="DELETE /v1/friends/{nametag}"),
        Verb(
            does=Friends.send,
            route="POST /v1/friends/{nametag}/messages",
            example={"message": "Shall we meet on Sunday?"},
        ),
        Verb(does=Friends.block, route="POST /v1/friends/{nametag}/block"),
        Verb(does=Friends.unblock, route="POST /v1/friends/{nametag}/unblock"),
        authority="frontend",
    )
)

QUESTIONS: Final = tuple(
    of(
        "questions",
        Verb(does=Questions.list, route="GET /v1/questions"),
        Verb(does=Questions.batch, route="GET /v1/questions/batch"),
        Verb(does=Questions.show, route="GET /v1/questions/{question}"),
        Verb(
            does=Questions.answer_with,
            route="POST /v1/questions/{question}/answer-with",
            example={"message": "item_1"},
        ),
    )
)

OUTBOUND: Final = tuple(
    of(
        "outbound",
        Verb(
            does=Outbound.notify,
            route="POST /v1/notify",
            example={"message": "The plumber comes on Friday."},
        ),
        Verb(
            does=Outbound.act,
            route="POST /v1/act",
            example={"tool": "email_send", "arguments": {"to": "sarah@example.com", "body": "Hi"}},
        ),
    )
)

PERSONAS: Final = tuple(
    of(
        "personas",
        Verb(does=Personas.list, route="GET /v1/personas"),
        Verb(does=Personas.show, route="GET /v1/personas/{name}"),
    )
)

PROFILE: Final = tuple(
    of(
        "profile",
        Verb(does=Profile.list, route="GET /v1/profile", example=_SAID),
        Verb(
            does=Profile.set,
            route="POST /v1/profile",
            example={"entry": {"name": "height", "description": "180 cm"}, **_SAID},
        ),
        Verb(does=Profile.show, route="GET /v1/profile/{item}", example=_SAID),
    )
)

DOUBTS: Final = tuple(
    of(
        "doubts",
        Verb(does=Doubts.list, route="GET /v1/doubts"),
        Verb(does=Doubts.ask, route="POST /v1/doubts/ask"),
        Verb(
            does=Doubts.answer_with,
            route="POST /v1/doubts/answer-with",
            example={"message": "item_1"},
        ),
    )
)
