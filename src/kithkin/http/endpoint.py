"""A route made from a verb: who asks, what with, the one method, the answer."""

import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec

from kithkin.errors import InvalidInput, KithkinError, NotAllowed, TooLarge
from kithkin.http import idempotency
from kithkin.http.authentication import principal_of
from kithkin.http.decoding import arguments_of
from kithkin.http.encoding import answer_to
from kithkin.http.rate_limits import Buckets
from kithkin.http.requests import Answer, Asked, refusal
from kithkin.http.served_realm import Principal, Realm
from kithkin.verb import Shape

RESULT: Final = "Kithkin-Result"
"""What the method gave, beside a file: JSON, with everything but ASCII escaped."""
_WHO: Final = {
    "agent": "agents",
    "frontend": "agents that talk to their person",
    "connector": "connectors",
    "owner": "the owner",
}


class Endpoint:
    """One verb of one realm. It runs in a worker thread, from the first look to the last byte."""

    def __init__(self, shape: Shape, realm: Realm, buckets: Buckets) -> None:
        self.shape = shape
        self._realm = realm
        self._buckets = buckets

    @property
    def authority(self) -> str:
        """Who may use it."""
        return self.shape.verb.authority

    def answer(self, asked: Asked) -> Answer:
        """Answer a request; a refusal is an answer too."""
        try:
            principal = principal_of(self._realm, asked)
            self._buckets.take(principal.name)
            facade = self.facade_of(principal)
            return self._answer(principal, facade, asked)
        except KithkinError as error:
            return refusal(error)

    def admit(self, asked: Asked) -> Answer | None:
        """The refusal of somebody who may not ask, before they send anything large."""
        try:
            self.facade_of(principal_of(self._realm, asked))
        except KithkinError as error:
            return refusal(error)
        return None

    def facade_of(self, principal: Principal) -> Any:
        """The facade that a principal uses this verb on."""
        facade = principal.facades.get(self.shape.verb.authority)
        if facade is None:
            raise NotAllowed(f"Only {_WHO[self.authority]} may use {self.shape.verb.name}.")
        return facade

    def _answer(self, principal: Principal, facade: Any, asked: Asked) -> Answer:
        verb = self.shape.verb
        if idempotency.HEADER in asked.headers and not verb.is_safe and not verb.secret:
            return idempotency.once(
                self._realm, principal.name, asked, lambda: self._do(facade, asked)
            )
        return self._do(facade, asked)

    def _do(self, facade: Any, asked: Asked) -> Answer:
        arguments = arguments_of(self.shape, asked)
        if self.shape.gives_file:
            return self._file(facade, arguments)
        if self.shape.brings_file:
            return self._brought(facade, asked, arguments)
        result = self.shape.call(facade, arguments)
        if self.shape.gives_lines:
            lines = "".join(f"{line}\n" for line in result)
            return Answer(200, lines.encode(), media_type="application/x-ndjson")
        return answer_to(self.shape, asked, arguments, result)

    def _file(self, facade: Any, arguments: dict[str, Any]) -> Answer:
        folder = Path(tempfile.mkdtemp(prefix="kithkin-"))
        try:
            path = folder / "content"
            result = self.shape.call(facade, {**arguments, self.shape.file or "": path})
            if self.shape.verb.carries == "folder down":
                path = Path(shutil.make_archive(str(folder / "archive"), "zip", path))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        told = {RESULT: quote(msgspec.json.encode(result))}
        return Answer(200, headers=told, media_type="application/octet-stream", file=path)

    def _brought(self, facade: Any, asked: Asked, arguments: dict[str, Any]) -> Answer:
        if asked.file is None:
            raise InvalidInput("Send the file as the body.")
        path = asked.file
        if self.shape.verb.carries == "folder up":
            path = _unpacked(path, most=self._realm.config.server.most_file_bytes)
        result = self.shape.call(facade, {**arguments, self.shape.file or "": path})
        return answer_to(self.shape, asked, arguments, result)


def _unpacked(archive: Path, *, most: int) -> Path:
    """The folder that an archive holds, beside it. It is removed with the archive's own folder."""
    folder = archive.with_name("unpacked")
    try:
        with zipfile.ZipFile(archive) as opened:
            if sum(one.file_size for one in opened.infolist()) > most:
                raise TooLarge(f"The archive holds more than {most:,} bytes.")
            opened.extractall(folder)
    except (zipfile.BadZipFile, OSError, RuntimeError, EOFError) as error:
        raise InvalidInput(f"The body is no zip archive of a folder: {error}.") from error
    return folder
