"""All that knows English: pure functions and word lists."""
