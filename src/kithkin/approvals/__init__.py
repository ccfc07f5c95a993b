"""Approvals: what may leave, to whom, and by whose word."""
