"""How far postures are from what stands around them."""
