"""The realm a command works on, and how its answers are printed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kithkin.admin import Admin
    from kithkin.app import Kithkin
    from kithkin.config import Settings
    from kithkin.ports import Models

Progress = Callable[[int, int], None]


def chosen() -> "Settings":
    """The settings, from the options before or after the command and the environment."""
    from kithkin.config import settings

    given = _given()
    return settings(home=given.get("home"), db=given.get("db"), realm=given.get("realm"))


def opened() -> "Kithkin":
    """The realm, made if it is not there."""
    from kithkin.app import Kithkin

    where = chosen()
    return Kithkin.open(where.where, realm=where.realm, models=_models(where))


def _models(where: "Settings") -> "Models | None":
    """The models that are configured; without any, no model library is loaded."""
    if where.model is None and where.embedder is None:
        return None
    from kithkin.adapters.configured import models_for

    return models_for(model=where.model, url=where.model_url, embedder=where.embedder)


def administered(*, create: bool = False) -> "Admin":
    """The realm as its owner keeps it; one that is not there is said to be missing."""
    from kithkin.admin import Admin

    where = chosen()
    return Admin.open(where.where, realm=where.realm, create=create)


def wants_json() -> bool:
    """Whether a program reads the answer."""
    return bool(_given().get("json"))


def answer(value: Any, show: Callable[[], None]) -> None:
    """Print a value: as JSON for a program, by `show` for a person."""
    if not wants_json():
        show()
        return
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


def _given() -> dict[str, Any]:
    given: dict[str, Any] = click.get_current_context().find_root().ensure_object(dict)
    return given
