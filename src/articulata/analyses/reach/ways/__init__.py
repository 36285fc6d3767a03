"""Ways about a room: how people move, through which door, over which sills, where they stand."""
