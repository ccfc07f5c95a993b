"""What leaves: one gate, standing rules, delivery."""
