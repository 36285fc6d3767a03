"""USD with UsdPhysics, the worlds of Isaac Sim and Omniverse, read and written by ``usd-core``."""
