"""Answers to reach as pictures, tables and one page."""
