"""Contact of moving bodies: separation, approach, rows, solution and steps."""
