"""The prompt a client can put before a conversation: who is known, and what is recalled."""

from collections.abc import Mapping
from typing import Final

from mcp_types import Prompt, PromptArgument

from kithkin.errors import NotFound
from kithkin.mcp.caller import Caller
from kithkin.memories.extract.sentences import marked

NAME: Final = "known_people"
LISTED: Final = (
    Prompt(
        name=NAME,
        title="Known people",
        description="Who everyone is, and what is known about the question, as far as whoever "
        "reads the answer may hear it.",
        arguments=[
            PromptArgument(name="question", description="What the conversation is about."),
            PromptArgument(
                name="on_behalf_of",
                description="Who asks: a message delivered to you, or channel:id.",
            ),
        ],
    ),
)


def written(caller: Caller, name: str, given: Mapping[str, str]) -> str:
    """The prompt's text, marked so that nothing in it is learned again."""
    if name != NAME:
        raise NotFound(f"There is no prompt {name[:80]!r}: there is {NAME}.")
    speaker = caller.speaking(given.get("on_behalf_of") or None)
    section = caller.kin.people.prompt_section(speaker=speaker)
    question = given.get("question", "")
    context = caller.kin.memories.context(question, speaker=speaker) if question else ""
    parts = [marked(section) if section else "", context]
    return "\n\n".join(filter(None, parts)) or "Nobody is known yet."
