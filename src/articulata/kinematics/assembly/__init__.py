"""Assembly: poses of all bodies in which every demand is met."""
