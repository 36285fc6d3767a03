"""Two thousand questions over all that the product answers, and the answers it gave.

A change of the house that is to change no answer is held against them:

    PYTHONPATH=tests:. python -m stored_answers compare            # all of them
    PYTHONPATH=tests:. python -m stored_answers compare inverse    # those of one room
    PYTHONPATH=tests:. python -m stored_answers record reach       # where answers are to change

Discrete things (events, labels, diagnostics) are the same; numbers are near (``store.Answer``).
"""
