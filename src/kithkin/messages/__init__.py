"""Messages and other items, as they enter the ledger."""
