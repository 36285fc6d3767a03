"""Figures in the viewer: drawn, moved by sliders, dragged by their hands."""
