"""People: who is meant, who they are to whom, and one record for each."""
