"""Drawings (DXF): floor plans as rooms."""
