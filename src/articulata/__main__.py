"""``python -m articulata``: the command line where its script is not on the path."""

from articulata.app.main import main

if __name__ == "__main__":
    main()
