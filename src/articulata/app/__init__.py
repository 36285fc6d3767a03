"""The command line: arguments in, a session or an analysis out."""
