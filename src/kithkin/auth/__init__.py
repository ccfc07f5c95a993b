"""Who comes in from outside: tokens of programs, the login of the owner."""
