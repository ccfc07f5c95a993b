"""Every verb an agent may use: the method, where REST finds it, and an example.

What somebody asks is sent in a body even where nothing changes: addresses end up in logs.
"""

from typing import Final

from kithkin.api.kithkin import Kithkin
from kithkin.verb import Verb
from kithkin.verbs import agent_memory_verbs, agent_people_verbs, agent_project_verbs

VERBS: Final[tuple[Verb, ...]] = (
    *agent_people_verbs.PEOPLE,
    *agent_people_verbs.CONTACTS,
    *agent_memory_verbs.MEMORIES,
    *agent_memory_verbs.CHAT,
    *agent_people_verbs.OUTBOUND,
    *agent_people_verbs.QUESTIONS,
    *agent_people_verbs.INBOX,
    *agent_people_verbs.FRIENDS,
    *agent_people_verbs.PERSONAS,
    *agent_people_verbs.PROFILE,
    *agent_people_verbs.DOUBTS,
    *agent_memory_verbs.TIMELINE,
    *agent_memory_verbs.ENTITIES,
    *agent_memory_verbs.RELATIONS,
    *agent_memory_verbs.CHANGES,
    *agent_project_verbs.PROJECTS,
    *agent_project_verbs.BRANCHES,
    *agent_project_verbs.ARTIFACTS,
    *agent_project_verbs.REFERENCES,
    *agent_project_verbs.READER,
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
