"""The ground: Soil's ledger, Core's entities, relations, change notices, access counts."""

from alembic import op

from kithkin.db import ddl

revision = "0001"
down_revision = None

TABLES = [
    """
    CREATE TABLE ledger_head (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        seq INTEGER NOT NULL,
        hash TEXT NOT NULL
    )
    """,
    "INSERT INTO ledger_head (id, seq, hash) VALUES (1, 0, '')",
    """
    CREATE TABLE item (
        seq INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        _type TEXT NOT NULL,
        realized_at TEXT NOT NULL,
        canonical_at TEXT NOT NULL,
        header TEXT NOT NULL,
        data TEXT,
        salt TEXT,
        payload_hash TEXT NOT NULL,
        hash TEXT NOT NULL,
        erased_at TEXT,
        CHECK ((data IS NULL) = (erased_at IS NOT NULL)),
        CHECK ((salt IS NULL) = (erased_at IS NOT NULL))
    )
    """,
    "CREATE INDEX item_type ON item (_type, seq)",
    # Only what the timeline tells is indexed by time: entity changes are many and read by entity.
    """
    CREATE INDEX item_told_realized ON item (realized_at, seq)
    WHERE _type NOT IN ('EntityDelta', 'Relation', 'Undo')
    """,
    """
    CREATE INDEX item_told_canonical ON item (canonical_at, seq)
    WHERE _type NOT IN ('EntityDelta', 'Relation', 'Undo')
    """,
    "CREATE TABLE undone (item TEXT PRIMARY KEY, seq INTEGER NOT NULL)",
    """
    CREATE TABLE entity (
        uuid TEXT PRIMARY KEY,
        type TEXT NOT NULL,
        hash TEXT NOT NULL,
        previous_hash TEXT,
        version INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        data TEXT,
        group_id TEXT REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        superseded_by TEXT REFERENCES entity (uuid) DEFERRABLE INITIALLY DEFERRED,
        superseded_at TEXT,
        derived_from TEXT
    )
    """,
    "CREATE INDEX entity_type ON entity (type, created_at, uuid)",
    # Without these, deleting an entity for a rebuild looks through the whole table for children.
    "CREATE INDEX entity_group ON entity (group_id) WHERE group_id IS NOT NULL",
    "CREATE INDEX entity_successor ON entity (superseded_by) WHERE superseded_by IS NOT NULL",
    """
    CREATE TABLE delta_notification (
        id INTEGER PRIMARY KEY,
        entity_uuid TEXT NOT NULL,
        entity_type TEXT NOT NULL,
        old_hash TEXT,
        new_hash TEXT NOT NULL,
        version INTEGER NOT NULL,
        changed_at TEXT NOT NULL,
        UNIQUE (entity_uuid, version)
    )
    """,
    "CREATE TABLE subscriber (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL)",
    """
    CREATE TABLE item_override (
        item TEXT PRIMARY KEY,
        entity TEXT NOT NULL,
        canonical_at TEXT
    )
    """,
    """
    CREATE INDEX item_override_canonical ON item_override (canonical_at)
    WHERE canonical_at IS NOT NULL
    """,
    """
    CREATE TABLE unique_relation (
        uuid TEXT PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('triggers', 'supercedes', 'replies_to', 'continues')),
        source TEXT NOT NULL,
        source_type TEXT NOT NULL,
        target TEXT NOT NULL,
        target_type TEXT NOT NULL,
        realized_at TEXT NOT NULL,
        metadata TEXT,
        layer TEXT NOT NULL CHECK (layer IN ('core', 'soil'))
    )
    """,
    """
    CREATE UNIQUE INDEX unique_relation_by_target ON unique_relation (kind, target)
    WHERE kind IN ('triggers', 'supercedes')
    """,
    """
    CREATE UNIQUE INDEX unique_relation_by_source ON unique_relation (kind, source)
    WHERE kind IN ('replies_to', 'continues')
    """,
    "CREATE INDEX unique_relation_source ON unique_relation (source)",
    "CREATE INDEX unique_relation_target ON unique_relation (target)",
    """
    CREATE TABLE multi_relation (
        uuid TEXT PRIMARY KEY,
        kind TEXT NOT NULL
            CHECK (kind IN ('mentions', 'derived_from', 'contains', 'groups_with')),
        source TEXT NOT NULL,
        source_type TEXT NOT NULL,
        target TEXT NOT NULL,
        target_type TEXT NOT NULL,
        realized_at TEXT NOT NULL,
        confidence REAL CHECK (confidence BETWEEN 0 AND 1),
        metadata TEXT,
        layer TEXT NOT NULL CHECK (layer IN ('core', 'soil')),
        UNIQUE (source, kind, target)
    )
    """,
    "CREATE INDEX multi_relation_target ON multi_relation (target)",
    """
    CREATE TABLE access (
        uuid TEXT PRIMARY KEY,
        strength REAL NOT NULL,
        touched_at TEXT NOT NULL,
        nominated_at TEXT
    )
    """,
]

ONLY_ERASED = """
    NEW.data IS NULL AND NEW.salt IS NULL AND OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL
    AND NEW.seq = OLD.seq AND NEW.uuid = OLD.uuid AND NEW._type = OLD._type
    AND NEW.realized_at = OLD.realized_at AND NEW.canonical_at = OLD.canonical_at
    AND NEW.header = OLD.header AND NEW.payload_hash = OLD.payload_hash AND NEW.hash = OLD.hash
"""

ONLY_METADATA_ERASED = """
    NEW.metadata IS NULL AND NEW.uuid = OLD.uuid AND NEW.kind = OLD.kind
    AND NEW.source = OLD.source AND NEW.source_type = OLD.source_type
    AND NEW.target = OLD.target AND NEW.target_type = OLD.target_type
    AND NEW.realized_at = OLD.realized_at AND NEW.layer = OLD.layer
"""

SQLITE_TRIGGERS = [
    """
    CREATE TRIGGER item_never_deleted BEFORE DELETE ON item
    BEGIN SELECT RAISE(ABORT, 'Soil is append-only: an item is never deleted'); END
    """,
    f"""
    CREATE TRIGGER item_only_erased BEFORE UPDATE ON item WHEN NOT ({ONLY_ERASED})
    BEGIN SELECT RAISE(ABORT, 'Soil is append-only: an item is never changed'); END
    """,
    *(
        statement
        for table in ("unique_relation", "multi_relation")
        for statement in (
            f"""
            CREATE TRIGGER {table}_never_deleted BEFORE DELETE ON {table}
            WHEN OLD.layer = 'soil'
            BEGIN SELECT RAISE(ABORT, 'Soil is append-only: a fossil is never deleted'); END
            """,
            f"""
            CREATE TRIGGER {table}_never_changed BEFORE UPDATE ON {table}
            WHEN OLD.layer = 'soil' AND NOT ({ONLY_METADATA_ERASED})
            BEGIN SELECT RAISE(ABORT, 'Soil is append-only: a fossil is never changed'); END
            """,
        )
    ),
]

POSTGRES_TRIGGERS = [
    """
    CREATE FUNCTION soil_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'Soil is append-only: % of % refused', TG_OP, TG_TABLE_NAME; END $$
    """,
    """
    CREATE TRIGGER item_never_deleted BEFORE DELETE ON item
    FOR EACH ROW EXECUTE FUNCTION soil_refuses()
    """,
    """
    CREATE TRIGGER item_never_emptied BEFORE TRUNCATE ON item
    FOR EACH STATEMENT EXECUTE FUNCTION soil_refuses()
    """,
    f"""
    CREATE TRIGGER item_only_erased BEFORE UPDATE ON item
    FOR EACH ROW WHEN (NOT ({ONLY_ERASED})) EXECUTE FUNCTION soil_refuses()
    """,
    *(
        statement
        for table in ("unique_relation", "multi_relation")
        for statement in (
            f"""
            CREATE TRIGGER {table}_never_deleted BEFORE DELETE ON {table}
            FOR EACH ROW WHEN (OLD.layer = 'soil') EXECUTE FUNCTION soil_refuses()
            """,
            f"""
            CREATE TRIGGER {table}_never_changed BEFORE UPDATE ON {table}
            FOR EACH ROW WHEN (OLD.layer = 'soil' AND NOT ({ONLY_METADATA_ERASED}))
            EXECUTE FUNCTION soil_refuses()
            """,
        )
    ),
]


def upgrade() -> None:
    """Make the tables and the triggers that guard Soil."""
    ddl.create(TABLES)
    postgres = op.get_bind().dialect.name == "postgresql"
    for trigger in POSTGRES_TRIGGERS if postgres else SQLITE_TRIGGERS:
        op.execute(trigger)


def downgrade() -> None:
    """Take it all away, with everything in it."""
    ddl.drop(
        (
            "access",
            "multi_relation",
            "unique_relation",
            "item_override",
            "subscriber",
            "delta_notification",
            "entity",
            "undone",
            "item",
            "ledger_head",
        )
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION soil_refuses")
