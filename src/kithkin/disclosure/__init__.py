"""What may be said to whom: one rule, one audience, one way to look at anything for somebody."""
