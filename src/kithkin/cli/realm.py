"""The realm a command works on, and how its answers are printed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from kithkin.api.connector import Connector
    from kithkin.api.kithkin import Kithkin
    from kithkin.api.owner import Admin
    from kithkin.config import Settings
    from kithkin.ports import Models

Progress = Callable[[int, int], None]


def chosen() -> "Settings":
    """The settings, from the options before or after the command and the environment."""
    from kithkin.config import settings

    given = _given()
    return settings(home=given.get("home"), db=given.get("db"), realm=given.get("realm"))


def opened(
    actor: str | None = None, *, agent: str | None = None, persona: str | None = None
) -> "Kithkin":
    """The realm, made if it is not there; as its owner, a participant, or one of its agents."""
    from kithkin.api.kithkin import Kithkin
    from kithkin.api.owner import Admin
    from kithkin.contacts.model import OWNER

    where = chosen()
    models = models_of(where)
    if agent:
        return Kithkin.open(where.where, realm=where.realm, agent=agent, models=models)
    return Admin.open(
        where.where, realm=where.realm, actor=actor or OWNER, models=models, persona=persona
    ).kin


def models_of(where: "Settings") -> "Models | None":
    """The models that are configured; without any, no model library is loaded."""
    if where.model is None and where.embedder is None:
        return None
    from kithkin.adapters.model_settings import models_for

    return models_for(model=where.model, url=where.model_url, embedder=where.embedder)


def receiving(connector: str) -> "Connector":
    """The realm as a connector sees it."""
    from kithkin.api.connector import Connector

    where = chosen()
    return Connector.open(where.where, connector, realm=where.realm, models=models_of(where))


def administered(*, create: bool = False, seed: bool = True, models: bool = False) -> "Admin":
    """The realm as its owner keeps it; one that is not there is said to be missing."""
    from kithkin.api.owner import Admin

    where = chosen()
    reads = models_of(where) if models else None
    return Admin.open(where.where, realm=where.realm, create=create, seed=seed, models=reads)


def wants_json() -> bool:
    """Whether a program reads the answer."""
    return bool(_given().get("json"))


def answer(value: Any, show: Callable[[], None]) -> None:
    """Print a value: as JSON for a program, by `show` for a person."""
    if not wants_json():
        show()
        return
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(_whole(value))).decode())


def _whole(value: Any) -> Any:
    """The value with every field written out, those with their usual value too."""
    from msgspec import Struct

    if isinstance(value, Struct):
        config = value.__struct_config__
        tag = {config.tag_field: config.tag} if config.tag_field else {}
        return tag | {name: _whole(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(one) for one in value]
    return value


def _given() -> dict[str, Any]:
    given: dict[str, Any] = click.get_current_context().find_root().ensure_object(dict)
    return given
