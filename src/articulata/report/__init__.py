"""What people see: viewer, plots, tables, strips, pages."""
