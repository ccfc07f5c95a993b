"""The database: connections, transactions, the two dialects and their migrations."""

from kithkin.db.database import Database
from kithkin.db.transactions import Tx

__all__ = ["Database", "Tx"]
