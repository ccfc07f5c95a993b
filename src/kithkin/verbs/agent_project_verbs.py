"""Work: projects, branches, documents, references, reading together."""

from typing import Final

from kithkin.api.artifacts import Artifacts, Reader, References
from kithkin.api.projects import Branches, Projects
from kithkin.verb import Verb, of

PROJECTS: Final = tuple(
    of(
        "projects",
        Verb(does=Projects.list, route="GET /v1/projects"),
        Verb(does=Projects.create, route="POST /v1/projects", example={"name": "Website"}),
        Verb(does=Projects.show, route="GET /v1/projects/overview"),
        Verb(does=Projects.tree, route="GET /v1/projects/tree"),
        Verb(does=Projects.scratchpad, route="GET /v1/projects/scratchpad"),
        Verb(does=Projects.export, route="GET /v1/projects/export", carries="folder down"),
        Verb(does=Projects.import_, route="POST /v1/projects/import", carries="folder up"),
        Verb(does=Projects.close, route="POST /v1/projects/close", example={"project": "Website"}),
    )
)

BRANCHES: Final = tuple(
    of(
        "branches",
        Verb(does=Branches.fork, route="POST /v1/branches"),
        Verb(does=Branches.frames, route="GET /v1/branches/frames"),
        Verb(does=Branches.meant, route="GET /v1/branches/meant", example={"branch": "2"}),
        Verb(
            does=Branches.append,
            route="POST /v1/branches/items",
            example={"text": "The login page comes first."},
        ),
        Verb(does=Branches.append_item, route="POST /v1/branches/items/{item}"),
        Verb(does=Branches.show, route="GET /v1/branches/{branch}"),
        Verb(does=Branches.gist, route="GET /v1/branches/{branch}/gist"),
        Verb(does=Branches.go, route="POST /v1/branches/{branch}/go"),
        Verb(does=Branches.can_collapse, route="GET /v1/branches/{branch}/can-collapse"),
        Verb(
            does=Branches.collapse,
            route="POST /v1/branches/{branch}/collapse",
            example={"summary": "We chose SQLite."},
        ),
        Verb(does=Branches.reopen, route="POST /v1/branches/{branch}/reopen"),
    )
)

ARTIFACTS: Final = tuple(
    of(
        "artifacts",
        Verb(
            does=Artifacts.create,
            route="POST /v1/artifacts",
            example={"label": "goals_doc", "content": "# Goals\n"},
        ),
        Verb(
            does=Artifacts.diff,
            route="GET /v1/artifacts/diff",
            example={"old": "goals_doc@c4f2a1b", "new": "goals_doc"},
        ),
        Verb(
            does=Artifacts.bring_in,
            route="POST /v1/artifacts/history",
            example={
                "label": "plan",
                "versions": [{"content": "a\n", "author": "ann", "at": "2026-11-01T09:00:00Z"}],
            },
        ),
        Verb(does=Artifacts.accept, route="POST /v1/artifacts/proposals/{proposal}/accept"),
        Verb(
            does=Artifacts.reject,
            route="POST /v1/artifacts/proposals/{proposal}/reject",
            example={"reason": "too soon"},
        ),
        Verb(does=Artifacts.show, route="GET /v1/artifacts/{said}", etag="commit"),
        Verb(
            does=Artifacts.edit,
            route="PUT /v1/artifacts/{said}",
            etag="artifact.head",
            example={"content": "# Goals\nShip it.\n"},
        ),
        Verb(
            does=Artifacts.operate,
            route="POST /v1/artifacts/{said}/operations",
            etag="artifact.head",
            example={"ops": "+1:^a7f", "texts": {"a7f": "Ship it."}},
        ),
        Verb(does=Artifacts.log, route="GET /v1/artifacts/{said}/log"),
        Verb(does=Artifacts.blame, route="GET /v1/artifacts/{said}/blame"),
        Verb(
            does=Artifacts.revert,
            route="POST /v1/artifacts/{said}/revert",
            example={"commit": "c4f2a1b"},
        ),
        Verb(
            does=Artifacts.merge,
            route="POST /v1/artifacts/{said}/merge",
            example={"commit": "c4f2a1b"},
        ),
        Verb(
            does=Artifacts.relabel,
            route="POST /v1/artifacts/{said}/relabel",
            example={"label": "aims_doc"},
        ),
        Verb(
            does=Artifacts.propose,
            route="POST /v1/artifacts/{said}/proposals",
            example={"content": "# Goals\nShip it soon.\n", "reasoning": "clearer"},
        ),
        Verb(does=Artifacts.proposals, route="GET /v1/artifacts/{said}/proposals"),
        Verb(does=Artifacts.verify, route="GET /v1/artifacts/{said}/verify"),
    )
)

REFERENCES: Final = tuple(
    of(
        "references",
        Verb(
            does=References.parse,
            route="POST /v1/references/parse",
            reads=True,
            example={"text": "See goals_doc:3."},
        ),
        Verb(
            does=References.resolve,
            route="POST /v1/references/resolve",
            reads=True,
            example={"reference": "goals_doc:3"},
        ),
        Verb(
            does=References.render,
            route="POST /v1/references/render",
            reads=True,
            example={"text": "See goals_doc:3."},
        ),
        Verb(
            does=References.backlinks,
            route="GET /v1/references/backlinks",
            example={"said": "goals_doc"},
        ),
    )
)

READER: Final = tuple(
    of(
        "reader",
        Verb(
            does=Reader.semantic_search,
            route="POST /v1/reader/search",
            example={"query": "authentication", "asked": {"context": "Looking for the login"}},
        ),
        Verb(
            does=Reader.scroll_to,
            route="POST /v1/reader/scroll-to",
            example={"artifact": "goals_doc", "start": 1, "end": 5},
        ),
        Verb(does=Reader.scroll_up, route="POST /v1/reader/scroll-up", example={"n": 5}),
        Verb(does=Reader.scroll_down, route="POST /v1/reader/scroll-down", example={"n": 5}),
        Verb(does=Reader.note, route="POST /v1/reader/notes", example={"content": "Ask Ann."}),
        Verb(
            does=Reader.select_lines,
            route="POST /v1/reader/select",
            example={"artifact": "goals_doc", "start": 1, "end": 2},
        ),
        Verb(
            does=Reader.propose_edit,
            route="POST /v1/reader/propose",
            example={"artifact": "goals_doc", "lines": [1, 1], "content": "# Aims\n"},
        ),
        Verb(does=Reader.ledger_end, route="GET /v1/reader/now"),
        Verb(
            does=Reader.follow,
            route="GET /v1/reader/steps",
            cursor="seq",
            example={"participant": "agent", "after": 0},
        ),
        Verb(does=Reader.status, route="GET /v1/reader/status", example={"participant": "agent"}),
        Verb(does=Reader.retrace, route="GET /v1/reader/retrace/{item}"),
    )
)
