"""The official SDK's own client, as a test talks through it: one call, one answer."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.client import Client
from mcp_types import CallToolResult, TextContent, TextResourceContents, Tool


class Talk:
    """A conversation of a client with a server."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self._client = portal, client

    def tools(self) -> dict[str, Tool]:
        """The tools that are listed, by name."""
        return {tool.name: tool for tool in self._portal.call(self._client.list_tools).tools}

    def result(self, tool: str, sent: Mapping[str, Any]) -> CallToolResult:
        """Whatever came of a call; the client itself holds it to the tool's output schema."""
        found: CallToolResult = self._portal.call(self._client.call_tool, tool, dict(sent))
        return found

    def call(self, tool: str, **sent: Any) -> dict[str, Any]:
        """The structured answer of a call that is carried out."""
        found = self.result(tool, sent)
        assert not found.is_error, said(found)
        assert isinstance(found.structured_content, dict)
        return found.structured_content

    def refused(self, tool: str, **sent: Any) -> dict[str, Any]:
        """The code and message of a call that is refused."""
        found = self.result(tool, sent)
        assert found.is_error, said(found)
        assert isinstance(found.structured_content, dict)
        assert found.structured_content["message"] in said(found)
        return found.structured_content

    def read(self, uri: str) -> str:
        """The text of a resource."""
        (found,) = self._portal.call(self._client.read_resource, uri).contents
        assert isinstance(found, TextResourceContents)
        return found.text

    def resources(self) -> set[str]:
        """The addresses of resources and of their templates."""
        listed = self._portal.call(self._client.list_resources).resources
        templates = self._portal.call(self._client.list_resource_templates).resource_templates
        return {one.uri for one in listed} | {one.uri_template for one in templates}

    def prompt(self, name: str, **given: str) -> str:
        """The text of a prompt."""
        (found,) = self._portal.call(self._client.get_prompt, name, given).messages
        assert isinstance(found.content, TextContent)
        return found.content.text


def said(result: CallToolResult) -> str:
    """The words of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def talking(server: Any, *, mode: str = "auto") -> Iterator[Talk]:
    """Talk to a server: in memory, over a process's streams, or by a transport."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, mode=mode)) as client,
    ):
        yield Talk(portal, client)
