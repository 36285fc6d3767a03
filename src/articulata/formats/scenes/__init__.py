"""Foreign worlds: what their readers give, and how it becomes a text of ours."""
