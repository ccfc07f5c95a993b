"""Artifacts: versioned text documents, the commits to them, and who stands behind each line."""
