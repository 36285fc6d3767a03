"""How does it follow a live person?"""
