"""The page of film: the main view and the camera's picture side by side."""
