"""Buildings in IFC (ISO 16739), read by IfcOpenShell."""
