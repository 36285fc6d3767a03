"""Foreign file formats, one module or folder each, read and written."""
