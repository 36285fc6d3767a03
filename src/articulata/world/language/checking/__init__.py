"""What can be decided about a tree without the values of its arguments."""
