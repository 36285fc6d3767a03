"""The world language: scan, parse, check, print, elaborate."""
