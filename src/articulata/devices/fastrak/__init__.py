"""Polhemus Fastrak: the bytes it sends and takes, and the port it hangs on."""
