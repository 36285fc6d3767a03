"""People drawn from a population or a file: several answered at a time, and their shares."""
