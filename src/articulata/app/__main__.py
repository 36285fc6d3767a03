"""``python -m articulata.app``: the command line where its script is not on the path."""

from articulata.app.main import main

main()
