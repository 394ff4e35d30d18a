"""A client of a Plumbline service. It verifies the signature of every answer before it hands it out."""

from .client import Plumbline
from .errors import ForgedAnswer, ServiceError, UnprovedAnswer
from .payment import Offer, Pay
from .verifying import Answer

__all__ = ["Answer", "ForgedAnswer", "Offer", "Pay", "Plumbline", "ServiceError", "UnprovedAnswer"]
