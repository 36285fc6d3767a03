"""Reach: answering, comparing variants, studies behind the panel and over many processes."""
