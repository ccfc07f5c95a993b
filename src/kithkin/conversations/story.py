"""An item told in words: who did what, and what for."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from kithkin.language.reference_scanner import preview

Fields = Mapping[str, Any]

_READING: Final[Mapping[str, Callable[[Fields], str]]] = {
    "semantic_search": lambda p: f"looked in {_where(p)} for “{p.get('query', '')}”",
    "scroll_to": lambda p: f"read {_where(p)}{_lines(p)}",
    "scroll_up": lambda p: f"scrolled up by {p.get('n')}",
    "scroll_down": lambda p: f"scrolled down by {p.get('n')}",
    "select_lines": lambda p: f"selected {_where(p)}{_lines(p)}",
    "note": lambda p: f"noted “{preview(str(p.get('content', '')))}”",
    "propose_edit": lambda p: f"proposed to change {_where(p)}{_lines(p)}",
}


def who(type_name: str, fields: Fields) -> str | None:
    """Whose doing an item is."""
    payload = fields.get("payload") or {}
    name = {"Message": "sender", "ToolCall": "caller", "ArtifactDelta": "actor"}.get(type_name)
    return fields.get(name) if name else payload.get("actor")


def told(type_name: str, fields: Fields, *, label: Callable[[str], str]) -> str:
    """What an item says happened. `label` gives an artifact's name by its id."""
    match type_name:
        case "Message" | "Note":
            verb = "said" if type_name == "Message" else "wrote down"
            return f"{verb} “{preview(fields['description'], most=96)}”"
        case "ToolCall":
            return _called(fields)
        case "ArtifactCreated":
            return f"made the artifact {fields['label']}"
        case "ArtifactDelta":
            return _changed(fields, label(fields["artifact_uuid"]))
        case "SystemEvent":
            return _happened(fields)
        case _:
            return type_name


def _called(fields: Fields) -> str:
    tell = _READING.get(fields["operation"])
    what = tell(fields["params"]) if tell else f"used {fields['tool']} to {fields['operation']}"
    return f"{what} ({fields['context']})" if fields.get("context") else what


def _changed(fields: Fields, label: str) -> str:
    ops = fields.get("ops", "").split()
    verbs = {"+": "added", "-": "removed", "~": "replaced", ">": "moved"}
    counts = [
        f"{verb} {many}" for mark, verb in verbs.items() if (many := sum(o[0] == mark for o in ops))
    ]
    lines = ", ".join(counts) or "changed no line"
    why = f": {fields['reason']}" if fields.get("reason") else ""
    return f"changed {label} ({fields['commit'][:7]}, {lines}){why}"


def _happened(fields: Fields) -> str:
    payload = fields.get("payload") or {}
    match fields["event_type"]:
        case "tool_result":
            return f"→ {_outcome(payload)}"
        case "branch_created":
            return f"forked the branch {payload.get('log')}"
        case "branch_reopened":
            return f"reopened {payload.get('continues')} as {payload.get('log')}"
        case "summary_generated":
            return f"collapsed {payload.get('log')}: {preview(str(payload.get('content', '')))}"
        case other:
            return str(other).replace("_", " ")


def _outcome(payload: Fields) -> str:
    output = payload.get("output")
    if payload.get("status") != "success":
        return f"{payload.get('status')}: {preview(str(output))}"
    matches = output.get("matches") if isinstance(output, dict) else None
    if matches is not None:
        places = ", ".join("-".join(map(str, match)) for match in matches[:5])
        return f"found {len(matches)} passages: {places}" if matches else "found nothing"
    return preview(", ".join(f"{k} {v}" for k, v in (output or {}).items())) or "done"


def _where(params: Fields) -> str:
    return str(params.get("artifact") or "the project")


def _lines(params: Fields) -> str:
    start, end = params.get("start"), params.get("end")
    return "" if start is None else f" {start}" if start == end else f" {start}-{end}"
