"""Many runs of a world: spread over processes, kept, told of, and searched for the best."""
