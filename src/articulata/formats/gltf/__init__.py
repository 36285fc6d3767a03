"""glTF 2.0: frames that move over time, with cameras on them."""
