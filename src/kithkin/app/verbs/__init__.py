"""Every verb an agent may use: the method, where REST finds it, and an example.

What somebody asks is sent in a body even where nothing changes: addresses end up in logs.
"""

from typing import Final

from kithkin.app import Kithkin
from kithkin.app.verbs import what, who, work
from kithkin.verb import Verb

VERBS: Final[tuple[Verb, ...]] = (
    *who.PEOPLE,
    *who.CONTACTS,
    *what.MEMORIES,
    *what.CHAT,
    *who.OUTBOUND,
    *who.QUESTIONS,
    *who.INBOX,
    *who.FRIENDS,
    *what.TIMELINE,
    *what.ENTITIES,
    *what.RELATIONS,
    *what.CHANGES,
    *work.PROJECTS,
    *work.BRANCHES,
    *work.ARTIFACTS,
    *work.REFERENCES,
    *work.READER,
    Verb(does=Kithkin.why, route="GET /v1/why/{uuid}", example={"speaker": "telegram:42"}),
    Verb(does=Kithkin.full_id, route="GET /v1/ids/{start}"),
)
"""In the order a reader meets them."""

AT_HOME: Final = {
    "timeline.record": "typed content: a client writes it as `record_json` takes it",
    "artifacts.bring_from_git": "a client reads its own repository and sends `bring_in`",
    "reader.asked": "makes a value; nothing is asked of the realm",
}
"""What a facade has and no route does, with the reason. A house test holds the two together."""
