"""Values that cross rooms: states, events, recordings, postures, diagnoses."""
