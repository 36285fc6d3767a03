"""Polhemus Fastrak: its protocol, a decoder, and the serial port."""
