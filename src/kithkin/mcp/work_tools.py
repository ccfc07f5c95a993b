"""The tools about work: documents, and what happened."""

from typing import Annotated

from msgspec import Meta

from kithkin.artifacts.artifact_edit import Why
from kithkin.artifacts.ops import content_of
from kithkin.disclosure.explore import Wanted
from kithkin.mcp import answers
from kithkin.mcp.answers import Document, Edited, Happenings
from kithkin.mcp.argument_help import BecauseOf, Chat, Limit, OnBehalfOf, Project, When
from kithkin.mcp.caller import Caller

Artifact = Annotated[str, Meta(description="Its label or id; label@commit is an earlier version.")]


def artifact_read(caller: Caller, *, artifact: Artifact, project: Project = None) -> Document:
    """Read a document."""
    shown = caller.kin.artifacts.show(artifact, project=project)
    artifact_ = shown.artifact
    return Document(artifact_.uuid, artifact_.label, shown.commit, content_of(shown.text))


def artifact_edit(
    caller: Caller,
    *,
    artifact: Artifact,
    content: Annotated[str, Meta(description="The whole new text.")],
    based_on: Annotated[
        str | None,
        Meta(description="The commit you read: the edit is refused if it changed since."),
    ] = None,
    reason: Annotated[str | None, Meta(description="Why, for the history.")] = None,
    because_of: BecauseOf = None,
    project: Project = None,
) -> Edited:
    """Change a document."""
    written = caller.kin.artifacts.edit(
        artifact,
        content,
        project=project,
        based_on=based_on,
        why=Why(because_of),
        reason=reason,
    )
    return Edited(written.artifact.uuid, written.artifact.label, written.commit.commit)


def timeline(  # noqa: PLR0913 - all that is asked of a timeline
    caller: Caller,
    *,
    text: Annotated[str | None, Meta(description="Only what says this.")] = None,
    type: Annotated[str | None, Meta(description="Only of this type: Message, Note, …")] = None,  # noqa: A002 - as on the wire
    since: When = None,
    until: When = None,
    limit: Limit = 20,
    before: Annotated[str | None, Meta(description="The `next` of the page before.")] = None,
    on_behalf_of: OnBehalfOf = None,
    chat: Chat = None,
) -> Happenings:
    """Show what happened."""
    wanted = Wanted(type=type, since=since, until=until, text=text, limit=limit, before=before)
    speaker = caller.speaking(on_behalf_of)
    return answers.happenings(caller.kin.timeline.list(wanted, speaker=speaker, chat=chat))
