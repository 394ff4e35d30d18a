"""Payment per request (x402 version 2): the offer is signed by whoever holds the wallet, not here."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

#: The decoded `PAYMENT-REQUIRED` header.
Offer = dict[str, Any]

#: Signs an offer and gives the value of `PAYMENT-SIGNATURE`, or None so as not to pay.
Pay = Callable[[Offer], "str | None"]


def offer_in(header: str) -> Offer:
    found: Offer = json.loads(base64.b64decode(header))
    return found
