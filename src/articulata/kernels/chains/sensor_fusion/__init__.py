"""Joint values of a person from the samples of orientation sensors."""
