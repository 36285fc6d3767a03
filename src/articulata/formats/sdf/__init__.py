"""SDFormat, the worlds and robots of Gazebo, read as scenes."""
