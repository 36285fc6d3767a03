"""The browser viewer: a recording or a world, played, stepped, plotted; served locally only."""
