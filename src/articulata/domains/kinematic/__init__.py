"""Figures as coordinates and a base: where their links are follows from them."""
