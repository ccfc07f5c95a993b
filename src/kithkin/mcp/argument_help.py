"""What is said of arguments that several tools take, in words for a model."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta

SPEAKER: Final = (
    "Who asks or speaks, if not the person you act for: the id of a message that was delivered to "
    "you (item_…), or channel:id such as telegram:42. It decides what may be told."
)
OnBehalfOf = Annotated[str | None, Meta(description=SPEAKER)]
Chat = Annotated[
    str | None,
    Meta(description="The chat this is said in, if it is not a private one: everyone there reads."),
]
BecauseOf = Annotated[
    str | None, Meta(description="The id of the message or item that led to this.")
]
Person = Annotated[
    str,
    Meta(description='A person as the speaker says it: "my wife", "Sarah", "@sksembhi", or an id.'),
]
Nametag = Annotated[
    str, Meta(description="The other account's nametag, such as swift-fox-42.", max_length=64)
]
Limit = Annotated[int, Meta(description="At most this many.", ge=1, le=100)]
Project = Annotated[
    str | None, Meta(description="The project, by name or id; not needed where only one is open.")
]
When = Annotated[datetime | None, Meta(description="A moment, such as 2026-11-15T09:00:00Z.")]
