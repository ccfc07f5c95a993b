"""What: memories, chat, what happened, what is believed, what changed."""

from typing import Final

from kithkin.api.chat import Chat
from kithkin.api.ledger import Changes, Entities, Relations, Timeline
from kithkin.api.memories import Memories
from kithkin.verb import Verb, of

_SPEAKER: Final = "telegram:42"
_SAID: Final = {"speaker": _SPEAKER}

MEMORIES: Final = tuple(
    of(
        "memories",
        Verb(does=Memories.list, route="GET /v1/memories", example=_SAID),
        Verb(
            does=Memories.add,
            route="POST /v1/memories",
            example={"content": "likes hiking", "about": ["Sarah"], **_SAID},
        ),
        Verb(
            does=Memories.remember,
            route="POST /v1/memories/remember",
            example={"text": "My wife Sarah likes hiking", **_SAID},
        ),
        Verb(does=Memories.learn, route="POST /v1/memories/learn", example={"item": "item_1"}),
        Verb(
            does=Memories.search,
            route="POST /v1/memories/search",
            reads=True,
            example={"question": "what does my wife like?", **_SAID},
        ),
        Verb(
            does=Memories.context,
            route="POST /v1/memories/context",
            reads=True,
            example={"question": "what does my wife like?", "tokens": 500, **_SAID},
        ),
        Verb(
            does=Memories.find_memories_by_subject,
            route="GET /v1/memories/about",
            example={"person_ids": ["entity_1"], **_SAID},
        ),
        Verb(does=Memories.embed, route="POST /v1/memories/embed"),
        Verb(does=Memories.show, route="GET /v1/memories/{memory}", example=_SAID),
        Verb(
            does=Memories.edit,
            route="PATCH /v1/memories/{memory}",
            example={"changes": {"content": "likes long hikes"}, **_SAID},
        ),
        Verb(does=Memories.history, route="GET /v1/memories/{memory}/history", example=_SAID),
        Verb(does=Memories.undo, route="POST /v1/memories/{memory}/undo", example=_SAID),
        Verb(
            does=Memories.supersede_confirmed_hearsay, route="POST /v1/memories/{memory}/supersede"
        ),
    )
)

CHAT: Final = tuple(
    of(
        "chat",
        Verb(
            does=Chat.say,
            route="POST /v1/chat",
            example={"text": "Tell me about my wife", **_SAID},
        ),
        Verb(does=Chat.undo, route="POST /v1/chat/undo", example={"answer": {"reply": "Noted."}}),
    )
)

TIMELINE: Final = tuple(
    of(
        "timeline",
        Verb(
            does=Timeline.list, route="GET /v1/timeline", cursor="next", example={"text": "plumber"}
        ),
        Verb(
            does=Timeline.record_json,
            route="POST /v1/timeline",
            example={"type_name": "Payment", "text": '{"amount": 10}'},
        ),
        Verb(
            does=Timeline.note,
            route="POST /v1/timeline/notes",
            example={"text": "Called the plumber"},
        ),
        Verb(does=Timeline.show, route="GET /v1/timeline/{item}"),
        Verb(
            does=Timeline.undo, route="POST /v1/timeline/{item}/undo", example={"reason": "twice"}
        ),
        Verb(
            does=Timeline.correct,
            route="POST /v1/timeline/{item}/correct",
            example={"at": "2026-11-15T09:00:00Z"},
        ),
    )
)

ENTITIES: Final = tuple(
    of(
        "entities",
        Verb(does=Entities.list, route="GET /v1/entities", cursor="uuid"),
        Verb(
            does=Entities.add,
            route="POST /v1/entities",
            example={"type_name": "service", "data": {"name": "Rossi"}},
        ),
        Verb(does=Entities.show, route="GET /v1/entities/{entity}", etag="hash"),
        Verb(
            does=Entities.change,
            route="PATCH /v1/entities/{entity}",
            etag="hash",
            example={"fields": {"phone": "555-0199"}, "reason": "a new number"},
        ),
        Verb(
            does=Entities.revert,
            route="POST /v1/entities/{entity}/revert",
            etag="hash",
            example={"to_version": 1},
        ),
        Verb(
            does=Entities.supersede,
            route="POST /v1/entities/{entity}/supersede",
            example={"superseded_by": "entity_2"},
        ),
        Verb(does=Entities.history, route="GET /v1/entities/{entity}/history"),
        Verb(
            does=Entities.at,
            route="GET /v1/entities/{entity}/at",
            example={"when": "2026-11-15T09:00:00Z"},
        ),
        Verb(
            does=Entities.diff,
            route="GET /v1/entities/{entity}/diff",
            example={"old": 1, "new": 2},
        ),
    )
)

RELATIONS: Final = tuple(
    of(
        "relations",
        Verb(does=Relations.around, route="GET /v1/relations", example={"uuid": "item_1"}),
        Verb(
            does=Relations.relate,
            route="POST /v1/relations",
            example={"kind": "mentions", "source": "item_1", "target": "entity_1"},
        ),
        Verb(does=Relations.trace, route="GET /v1/relations/trace", example={"uuid": "item_1"}),
        Verb(does=Relations.unrelate, route="DELETE /v1/relations/{relation}"),
    )
)

CHANGES: Final = tuple(
    of(
        "changes",
        Verb(does=Changes.list, route="GET /v1/changes", cursor="cursor", example={"after": 0}),
        Verb(
            does=Changes.acknowledge,
            route="POST /v1/changes/acknowledge",
            status=204,
            example={"subscriber": "mirror", "cursor": 12},
        ),
    )
)
