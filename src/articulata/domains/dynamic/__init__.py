"""The dynamic domain: how bodies move under forces, hinges and controls."""
