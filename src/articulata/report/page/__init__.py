"""The replay page: one HTML file that shows a recording and asks nothing of any network."""
