"""A verb: one method of a facade, as programs reach it from outside.

A table of verbs says where a method is found and who may use it; everything else, what it takes and
gives and what it is for, is read from the method itself, so that it is written once.
"""

import collections.abc
import inspect
import re
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

Authority = Literal["agent", "frontend", "connector", "owner"]
"""Who may use it: any agent, one that talks to its person, a connector, or the owner alone."""
_IN_PATH: Final = re.compile(r"\{(\w+)\}")
_LONGEST_PAGE: Final = 1000
_PAGE_SIZE = Annotated[int, Meta(ge=1, le=_LONGEST_PAGE)]
_BOUNDED: Final[Mapping[Any, Any]] = {int: _PAGE_SIZE, int | None: _PAGE_SIZE | None}


class Verb(Struct, frozen=True, kw_only=True):
    """One method of a facade, and where it is found."""

    does: Callable[..., Any]
    route: str
    """Such as `GET /v1/people/{person}`."""
    part: str = ""
    """The facade's part it belongs to; none for the facade's own methods."""
    authority: Authority = "agent"
    example: Mapping[str, Any] = {}
    """Arguments somebody may really give."""
    reads: bool = False
    """Changes nothing although it is a POST: what people ask does not belong into addresses."""
    status: int = 200
    etag: str | None = None
    """The field of the answer that says which version it is."""
    cursor: str | None = None
    """The field of the last row that `after` takes for the next page."""
    carries: Literal["file up", "file down", "folder up", "folder down"] | None = None
    """Which way the file or folder travels that the method's Path names."""
    secret: bool = False
    """Its answer is shown once and kept nowhere."""

    @property
    def name(self) -> str:
        """Such as `people.find`; what is the owner's alone begins with `admin`."""
        facade = "admin" if self.authority == "owner" else ""
        return ".".join(filter(None, (facade, self.part, self.does.__name__)))

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with its parameters in braces."""
        return self.route.partition(" ")[2]

    @property
    def is_safe(self) -> bool:
        """Whether it changes nothing, so that asking twice is asking once."""
        return self.reads or self.method == "GET"


def of(part: str, *verbs: Verb, authority: Authority | None = None) -> Iterator[Verb]:
    """The verbs of one part of a facade."""
    for verb in verbs:
        yield replace(verb, part=part, authority=authority or verb.authority)


class Shape:
    """What a verb takes and gives, read from the method's signature."""

    def __init__(self, verb: Verb) -> None:
        self.verb = verb
        hints = typing.get_type_hints(verb.does, include_extras=True)
        self.gives: Any = hints.pop("return", NoneType)
        parameters = list(inspect.signature(verb.does).parameters.values())[1:]
        self._parameters = {
            one.name: one for one in parameters if not _is_callable(hints[one.name])
        }
        self._hints = hints
        self.in_path: tuple[str, ...] = tuple(_IN_PATH.findall(verb.path))
        self.file: str | None = next(
            (name for name in self._parameters if hints[name] is Path), None
        )
        self._flat = {
            name: kind
            for name in self._parameters
            if (kind := _struct_in(hints[name])) and self.in_query
        }

    @property
    def in_query(self) -> bool:
        """Whether its arguments stand in the query rather than in the body."""
        return self.verb.method in {"GET", "DELETE"} or self.brings_file

    @property
    def brings_file(self) -> bool:
        """Whether the body is a file."""
        return self.verb.carries in {"file up", "folder up"}

    @property
    def gives_file(self) -> bool:
        """Whether the answer is a file."""
        return self.verb.carries in {"file down", "folder down"}

    @property
    def gives_lines(self) -> bool:
        """Whether it answers line by line."""
        return typing.get_origin(self.gives) is collections.abc.Iterator

    @cached_property
    def takes(self) -> type[Struct]:
        """The arguments that are not in the path, as one value."""
        fields: list[Any] = []
        for name in self._given_names:
            fields += self._fields_of(name)
        camel = "".join(word.title() for word in re.split(r"[._]", self.verb.name))
        return msgspec.defstruct(
            f"{camel}Arguments", fields, kw_only=True, forbid_unknown_fields=True, frozen=True
        )

    def read(self, given: Struct, in_path: Mapping[str, str]) -> dict[str, Any]:
        """The method's arguments by name, from what was decoded."""
        found = {
            name: value
            for name in given.__struct_fields__
            if (value := getattr(given, name)) is not UNSET
        }
        for name, kind in self._flat.items():
            own = {field: found.pop(field) for field in kind.__struct_fields__ if field in found}
            if own:
                found[name] = kind(**own)
        return {**found, **in_path}

    def call(self, facade: Any, arguments: Mapping[str, Any]) -> Any:
        """Do it, on a facade."""
        method = getattr(getattr(facade, self.verb.part, facade), self.verb.does.__name__)
        ordered: tuple[Any, ...] = ()
        named: dict[str, Any] = {}
        for name, value in arguments.items():
            match self._parameters[name].kind:
                case inspect.Parameter.VAR_POSITIONAL:
                    ordered = tuple(value)
                case inspect.Parameter.VAR_KEYWORD:
                    named |= value
                case _:
                    named[name] = value
        if not ordered:
            return method(**named)
        first = [named.pop(name) for name in self._before_variable]
        return method(*first, *ordered, **named)

    def bind(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, without those that nothing outside can take."""
        bound = inspect.signature(self.verb.does).bind(None, *arguments, **named)
        given = dict(list(bound.arguments.items())[1:])
        return {name: value for name, value in given.items() if name in self._parameters}

    def flattened(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments as a query takes them: plain values, structures by their fields."""
        flat: dict[str, Any] = {}
        for name, value in arguments.items():
            if name in self._flat and value is not None:
                flat |= msgspec.to_builtins(value)
            else:
                flat[name] = msgspec.to_builtins(value)
        return {name: value for name, value in flat.items() if value is not None}

    @cached_property
    def _types(self) -> dict[str, Any]:
        return {field.name: field.type for field in msgspec.structs.fields(self.takes)}

    @property
    def names(self) -> Collection[str]:
        """The arguments that are not in the path."""
        return self._types.keys()

    def type_of(self, name: str) -> Any:
        """What such an argument is."""
        return self._types[name]

    def default_of(self, name: str) -> Any:
        """What an argument is when it is left out; `UNSET` when that cannot be said in JSON."""
        parameter = self._parameters.get(name)
        plain = (str, int, float, bool)
        if parameter is not None and isinstance(parameter.default, plain):
            return parameter.default
        return UNSET

    @property
    def is_paged(self) -> bool:
        """Whether it gives everything unless a `limit` is named."""
        parameter = self._parameters.get("limit")
        return parameter is not None and parameter.default is None

    @property
    def _given_names(self) -> list[str]:
        apart = {*self.in_path, self.file}
        return [name for name in self._parameters if name not in apart]

    @property
    def _before_variable(self) -> list[str]:
        names = []
        for name, parameter in self._parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                break
            names.append(name)
        return names

    def _fields_of(self, name: str) -> list[Any]:
        if name in self._flat:
            kind = self._flat[name]
            hints = typing.get_type_hints(kind, include_extras=True)
            return [
                (field, _bounded(field, hints[field]) | UnsetType, UNSET)
                for field in kind.__struct_fields__
            ]
        parameter, kind = self._parameters[name], self._hints[name]
        match parameter.kind:
            case inspect.Parameter.VAR_POSITIONAL:
                return [(name, GenericAlias(tuple, (kind, ...)))]
            case inspect.Parameter.VAR_KEYWORD:
                return [(name, GenericAlias(dict, (str, kind)))]
        if parameter.default is inspect.Parameter.empty:
            return [(name, _bounded(name, kind))]
        return [(name, typing.Union[_bounded(name, kind), UnsetType], UNSET)]  # noqa: UP007 - of any value


def shapes(verbs: Iterable[Verb]) -> dict[str, Shape]:
    """The shapes of a table, by the verbs' names."""
    return {verb.name: Shape(verb) for verb in verbs}


def is_many(kind: Any) -> bool:
    """Whether a type holds several values, so that a query may name it several times."""
    origin = typing.get_origin(kind)
    if origin in {UnionType, typing.Union}:
        return any(is_many(one) for one in typing.get_args(kind))
    many = (collections.abc.Sequence, collections.abc.Collection, tuple, list)
    return origin in many


def takes_text(kind: Any) -> bool:
    """Whether a type is text, or may be."""
    if typing.get_origin(kind) in {UnionType, typing.Union}:
        return any(takes_text(one) for one in typing.get_args(kind))
    return kind is str


def _bounded(name: str, kind: Any) -> Any:
    return _BOUNDED.get(kind, kind) if name == "limit" else kind


def _struct_in(kind: Any) -> type[Struct] | None:
    """The structure a parameter is, or may be."""
    for one in (kind, *typing.get_args(kind)):
        if isinstance(one, type) and issubclass(one, Struct):
            return one
    return None


def _is_callable(kind: Any) -> bool:
    origin = typing.get_origin(kind)
    if origin in {UnionType, typing.Union}:
        return any(_is_callable(one) for one in typing.get_args(kind))
    return origin is collections.abc.Callable
