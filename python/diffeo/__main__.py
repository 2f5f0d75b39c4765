"""`python -m diffeo`: the command `diffeo`, as `torchrun -m diffeo` starts it."""

import sys

from diffeo_command import main

if __name__ == "__main__":
    sys.exit(main())
