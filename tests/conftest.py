"""What all tests in Python need."""

import signal

# A shell that runs the tests in the background has SIGINT ignored, and so would what they start.
signal.signal(signal.SIGINT, signal.default_int_handler)
