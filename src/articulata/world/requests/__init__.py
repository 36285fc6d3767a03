"""Requests: the five questions that a text puts, their clauses and their values in SI."""
