"""Track: devices, analysis, viewer and recorder joined while somebody moves."""
