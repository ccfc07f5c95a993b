"""Channels that send: to a file, to the terminal, to a real web server on this machine."""

import hashlib
import hmac
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kithkin.adapters.channels import (
    ConsoleChannel,
    FileChannel,
    WebhookChannel,
    channels_from,
)
from kithkin.config import ChannelSettings
from kithkin.errors import DeliveryFailed, InvalidInput
from kithkin.ports import Outgoing

MESSAGE = Outgoing(key="k1", channel="telegram", to=("7",), text="Hello", bcc=("8",))


class Hook(BaseHTTPRequestHandler):
    """Takes what is posted, and answers as the path says."""

    received: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.received.append((dict(self.headers), self.rfile.read(length)))
        status = int(self.path.strip("/") or "200")
        self.send_response(status)
        self.end_headers()
        if status == 200:
            self.wfile.write(b'{"id": 4711}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hook() -> Iterator[str]:
    Hook.received = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_gets_the_message_its_key_and_a_signature(hook: str) -> None:
    channel = WebhookChannel(hook, secret=lambda: "s3cret")
    assert channel.send(MESSAGE) == "4711"
    ((headers, body),) = Hook.received
    assert json.loads(body)["text"] == "Hello"
    assert json.loads(body)["bcc"] == ["8"]
    assert headers["Idempotency-Key"] == "k1"
    signed = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    assert headers["X-Kithkin-Signature"] == f"sha256={signed}"


@pytest.mark.parametrize(
    ("status", "retryable"), [(500, True), (503, True), (429, True), (400, False), (404, False)]
)
def test_a_webhook_that_refuses_says_whether_it_may_take_it_later(
    hook: str,
    status: int,
    retryable: bool,  # noqa: FBT001 - a table
) -> None:
    with pytest.raises(DeliveryFailed, match=str(status)) as failed:
        WebhookChannel(f"{hook}/{status}").send(MESSAGE)
    assert failed.value.retryable is retryable


def test_a_server_that_is_not_there_may_come_back() -> None:
    with pytest.raises(DeliveryFailed) as failed:
        WebhookChannel("http://127.0.0.1:9").send(MESSAGE)
    assert failed.value.retryable


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x", "", "127.0.0.1"])
def test_only_web_addresses_are_posted_to(url: str) -> None:
    with pytest.raises(InvalidInput, match="no web address"):
        WebhookChannel(url)


def test_a_file_gets_a_line_for_each_message(tmp_path: Path) -> None:
    channel = FileChannel(tmp_path / "out" / "sent.jsonl")
    channel.send(MESSAGE)
    channel.send(MESSAGE)
    lines = (tmp_path / "out" / "sent.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == ["k1", "k1"]
    with pytest.raises(DeliveryFailed):
        FileChannel(tmp_path / "out" / "sent.jsonl" / "below").send(MESSAGE)


def test_the_terminal_shows_it() -> None:
    out = io.StringIO()
    ConsoleChannel(out).send(MESSAGE)
    assert out.getvalue() == "→ 7: Hello\n"


def test_the_configuration_names_the_channels(tmp_path: Path) -> None:
    settings = {
        "telegram": ChannelSettings("webhook", url="http://127.0.0.1:1", secret="HOOK"),  # noqa: S106 - a key's name
        "email": ChannelSettings("file"),
        "sms": ChannelSettings("console"),
    }
    made = channels_from(settings, home=tmp_path, resolve=lambda _: None)
    assert set(made) == {"console", "telegram", "email", "sms"}
    with pytest.raises(InvalidInput, match="give its url"):
        channels_from({"x": ChannelSettings("webhook")}, home=tmp_path, resolve=lambda _: None)
