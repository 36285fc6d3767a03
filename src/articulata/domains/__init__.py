"""What one world means in one domain: geometric, dynamic, control and others."""
