"""What the page about REST promises is what happens."""

import json
import re
from pathlib import Path
from typing import Any

from kithkin import Kithkin
from tests.served.conftest import Served
from tests.served.stories import PASSWORD

PAGE = (Path(__file__).parent.parent.parent / "docs" / "rest.md").read_text()
EXAMPLES = re.compile(r"```http\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```py\n(.*?)```", re.DOTALL)


def _told(expected: Any, found: Any) -> bool:
    """Whether everything that is written stands in the answer; `...` stands for anything."""
    match expected:
        case "...":
            return True
        case dict():
            return all(
                name in found and _told(value, found[name]) for name, value in expected.items()
            )
        case list():
            return all(_told(one, other) for one, other in zip(expected, found, strict=True))
        case _:
            return bool(expected == found)


def test_every_request_of_the_page_is_answered_as_written(served: Served) -> None:
    served.admin.owner.add_address("telegram", "42")
    served.admin.owner.set_password(PASSWORD)
    known = {
        "AGENT": served.token(),
        "CONNECTOR": served.admin.tokens.create(connector="telegram").secret,
        "PASSWORD": PASSWORD,
    }
    examples = EXAMPLES.findall(PAGE)
    assert len(examples) >= 6
    for request, expected in examples:
        for name, value in known.items():
            request = request.replace(name, value)  # noqa: PLW2901 - as a person fills them in
        head, _, body = request.partition("\n\n")
        first, *headers = head.strip().split("\n")
        method, path = first.split(" ")
        sent = dict(line.split(": ", 1) for line in headers)
        given = json.loads(body) if body.strip() else None
        answered = served.ask(method, path, given, **sent)
        assert _told(json.loads(expected), answered.json), (request, answered.body)
    for code in PYTHON.findall(PAGE):
        exec(code, {"Kithkin": Kithkin, "url": served.url, "token": known["AGENT"]})  # noqa: S102
