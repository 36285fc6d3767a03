"""Values of many points at once in vector registers, and the machine they run on."""
