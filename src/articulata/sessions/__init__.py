"""What runs over time and joins the other rooms."""
