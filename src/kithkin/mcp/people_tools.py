"""The tools about people and what is known of them."""

from typing import Annotated

from msgspec import Meta

from kithkin.mcp import answers
from kithkin.mcp.answers import Recall, Taken, Text, Who
from kithkin.mcp.argument_help import Chat, Limit, OnBehalfOf, Person, When
from kithkin.mcp.caller import Caller
from kithkin.upkeep.why import Why


def remember(
    caller: Caller,
    *,
    text: Annotated[
        str, Meta(description='The person\'s own words: "My wife Sarah likes hiking".')
    ],
    on_behalf_of: OnBehalfOf = None,
    chat: Chat = None,
    at: When = None,
) -> Taken:
    """Keep what the person said."""
    speaker = caller.speaking(on_behalf_of)
    said = caller.kin.memories.remember(text, speaker=speaker, chat=chat, at=at)
    return answers.taken(caller, said)


def recall(
    caller: Caller,
    *,
    query: Annotated[str, Meta(description="What to recall, as a question or in a few words.")],
    on_behalf_of: OnBehalfOf = None,
    chat: Chat = None,
    limit: Limit = 10,
) -> Recall:
    """Recall what may be told."""
    found = caller.kin.memories.search(
        query, speaker=caller.speaking(on_behalf_of), chat=chat, limit=limit
    )
    return answers.recall(caller, found)


def who_is(caller: Caller, *, person: Person, on_behalf_of: OnBehalfOf = None) -> Who:
    """Say who is meant."""
    speaker, people = caller.speaking(on_behalf_of), caller.kin.people
    found = people.find(person) if speaker is None else people.find_for_speaker(person, speaker)
    return answers.who(found)


def people_context(
    caller: Caller,
    *,
    on_behalf_of: OnBehalfOf = None,
    limit: Limit = 50,
) -> Text:
    """Tell of the known people, for a prompt."""
    speaker = caller.speaking(on_behalf_of)
    return Text(caller.kin.people.prompt_section(speaker=speaker, most=limit))


def why(
    caller: Caller,
    *,
    id: Annotated[str, Meta(description="A memory, message or item, by the id a tool gave.")],  # noqa: A002 - what models send
    on_behalf_of: OnBehalfOf = None,
    chat: Chat = None,
) -> Why:
    """Say why something is believed or happened."""
    return caller.kin.why(id, speaker=caller.speaking(on_behalf_of), chat=chat)


def note_person(
    caller: Caller,
    *,
    person: Person,
    note: Annotated[
        str, Meta(description='What to know of them, without their name: "likes hiking".')
    ],
    on_behalf_of: OnBehalfOf = None,
) -> Taken:
    """Write down something about somebody."""
    made = caller.kin.memories.add(note, about=[person], speaker=caller.speaking(on_behalf_of))
    return answers.taken(caller, made)
