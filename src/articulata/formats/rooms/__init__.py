"""Rooms and buildings: plans (DXF), scans, what phones measure (RoomPlan), IFC (ISO 16739)."""
