"""Messages of the Robot Operating System, as JSON."""
