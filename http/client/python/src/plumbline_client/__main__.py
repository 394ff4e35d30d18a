"""`python -m plumbline_client verify ...`: checks files that a service gave, without trusting it and without a network."""

import sys

from .proof.command import main

sys.exit(main(sys.argv[1:]))
