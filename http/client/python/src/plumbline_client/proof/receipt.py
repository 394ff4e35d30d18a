"""The receipt of a payment per request, the warranty beside it, and who is paid. After "The receipt"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import shape as s
from .addresses import parse_address
from .answer import check_in_use, check_vouched
from .check import Check, check, not_checked, not_proved, of_part, reading
from .encodings import from_utf8, sha256, utf8
from .faults import Malformed, demand
from .json_text import canonical, parse_json
from .jws import SignedStatement, read_jws, read_signed
from .keys import KeyDocument, ServiceKey, parse_key_document
from .leaf import CLOCK_TOLERANCE
from .log import is_simulated
from .merkle import root_of
from .note import parse_checkpoint
from .sold_rows import dated_rows
from .times import DAY, HOUR, epoch_ms, iso_ms, iso_second

_WARRANTY_TAG = "service-warranty-v1"
_PAYEE_TAG = "service-payee-v1"
_MOST_WARRANTED = 5000
# What ECMAScript's trim takes away.
_SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

_HEAD = s.nested("a checkpoint", {"origin": s.NAME, "size": s.COUNT, "root": s.HASH})

_RECEIPT = {
    "version": s.Member(lambda value: value == 1 and not isinstance(value, bool), "1"),
    "network": s.NAME,
    "resourceUrl": s.NAME,
    "payer": s.NAME,
    "issuedAt": s.ORDINAL,
    "transaction": s.NAME,
    "purchaseId": s.NAME,
    "productKey": s.NAME,
    "asset": s.NAME,
    "payTo": s.NAME,
    "amount": s.NAME,
    "payloadSha256": s.HASH,
    "checkpoint": s.Member(lambda value: value is None or _HEAD.holds(value), "a checkpoint or null"),
    "simulated": s.TRUE_OR_ABSENT,
}

_WARRANTY = {
    "v": s.tag_of(_WARRANTY_TAG),
    "purchase_id": s.NAME,
    "payload_sha256": s.HASH,
    "days": s.ORDINAL,
    "greatest_age_hours": s.ORDINAL,
    "says": s.NON_EMPTY,
    "until": s.TIME,
    "pays_usd": s.NUMBER,
    "rows": s.nested("rows of a warranty", {"size": s.ORDINAL, "root": s.HASH}),
    "simulated": s.TRUE_OR_ABSENT,
}

_PAYEE = {
    "v": s.tag_of(_PAYEE_TAG),
    "domain": s.NAME,
    "payees": s.list_of(s.nested("an address", {"network": s.NAME, "asset": s.NAME, "pay_to": s.NAME})),
    "signed_at": s.TIME,
    "valid_until": s.TIME,
    "simulated": s.TRUE_OR_ABSENT,
}


@dataclass(frozen=True)
class Expected:
    """What a buyer expects of a statement of who is paid. `paid`: where money is about to go, or went."""

    domain: str | None = None
    reached_at: str | None = None
    pay_to: str | None = None
    network: str | None = None
    asset: str | None = None
    #: True before a payment: the statement must still hold.
    fresh: bool = False


@dataclass(frozen=True)
class _Signer:
    document: KeyDocument
    key: ServiceKey


@dataclass(frozen=True)
class _Read:
    receipt: s.Document
    sale: dict[str, Any] | None
    signer: _Signer
    host: str


def verify_receipt(
    data: bytes,
    keys: Any,
    *,
    pins: Sequence[str] = (),
    now: int | None = None,
    authority: str | None = None,
    kept: str | None = None,
    payee: Any = None,
) -> list[Check]:
    """Checks a receipt (a JWS, the object around it, or the whole sale). `keys` is the key document, as parsed JSON.

    `payee`: the statement of who is paid, as parsed JSON. `kept`: a checkpoint of the size that the receipt names.
    """
    read, of_receipt = reading(
        "receipt", lambda: _read_receipt(data, keys, authority), lambda one: f"{one.receipt['resourceUrl']}"
    )
    if read is None:
        return [of_receipt, _no_key()]
    receipt = read.receipt
    issued = iso_second(receipt["issuedAt"] * 1000)
    expected = Expected(read.host, None, receipt["payTo"], receipt["network"], receipt["asset"])
    return [
        of_receipt,
        *_key_checks(read.signer, issued, pins, now),
        *_sale_checks(read),
        _check_head(receipt, kept),
        *(
            [not_checked("payee", "pass the payee statement of the domain with --payee")]
            if payee is None
            else verify_payee(payee, keys, expected, pins=pins, now=now, authority=authority)
        ),
    ]


def _no_key() -> Check:
    return not_proved("key in use", "no key matches the signature", "unavailable")


def _key_checks(signer: _Signer, at: str, pins: Sequence[str], now: int | None) -> list[Check]:
    return [check_in_use(signer.key, at, now), check_vouched(signer.key, signer.document, pins)]


def _read_receipt(data: bytes, keys: Any, authority: str | None) -> _Read:
    jws, sale = _receipt_in(data)
    signed = read_jws(jws)
    signer = _answer_key(keys, signed)
    receipt = s.read_shape("a receipt", signed.document, _RECEIPT)
    host = signed.place.split("/")[0]
    address = parse_address(receipt["resourceUrl"])
    demand(
        address is not None and f"{address.host}{address.path}".startswith(f"{signed.place}/"),
        f"its resource {receipt['resourceUrl']} is not of {signed.place}",
        "origin",
    )
    demand(authority is None or host == authority.lower(), f"it is of {host}, not of {authority}", "origin")
    return _Read(receipt, sale, signer, host)


def _receipt_in(data: bytes) -> tuple[str, dict[str, Any] | None]:
    text = from_utf8(data).strip(_SPACE)
    if not text.startswith("{"):
        return text, None
    value = parse_json(text)
    sale = value if isinstance(value.get("receipt"), dict) else None
    jws = (value if sale is None else sale["receipt"]).get("signature")
    if not isinstance(jws, str):
        raise Malformed("there is no receipt in it", "missing")
    return jws, sale


def _answer_key(keys: Any, signed: SignedStatement) -> _Signer:
    document = parse_key_document(keys)
    key = next((one for one in document.answers if one.kid == signed.kid), None)
    if key is None:
        raise Malformed(f"it names key {signed.kid}, which is not a key for answers", "key")
    demand(signed.is_signed_by(key.public_key), f"it is not what key {signed.kid} signed", "signature")
    return _Signer(document, key)


def _sale_checks(read: _Read) -> list[Check]:
    receipt, sale = read.receipt, read.sale
    if sale is None:
        return [not_checked("data", "the file has only the receipt", "unavailable")]

    def of_data() -> str:
        if "data" not in sale:
            raise Malformed("the sale has no data")
        digest = sha256(utf8(canonical(sale["data"]))).hex()
        demand(digest == receipt["payloadSha256"], "the data is not what the receipt names", "hash")
        return f"SHA-256 {digest}"

    def of_sale() -> str:
        for name, said in _said_by(sale).items():
            demand(
                canonical(said) == canonical(receipt[name]),
                f"its {name} is not the one in the receipt",
                "contradiction",
            )
        return f"{receipt['purchaseId']}: {receipt['productKey']} for {receipt['amount']} of {receipt['asset']}"

    checks = [check("data", of_data), check("sale", of_sale)]
    if "warranty" in sale:
        checks.append(check("warranty", lambda: _check_warranty(read, sale)))
    return checks


def _said_by(sale: dict[str, Any]) -> dict[str, Any]:
    """The members of a sale that its receipt repeats."""
    payment = sale["payment"] if isinstance(sale.get("payment"), dict) else {}
    return {
        "purchaseId": sale.get("purchase_id"),
        "productKey": sale.get("product_key"),
        "payloadSha256": sale.get("payload_sha256"),
        "checkpoint": sale.get("checkpoint"),
        "network": payment.get("network"),
        "asset": payment.get("asset"),
        "amount": payment.get("amount"),
        "payer": payment.get("payer"),
        "payTo": payment.get("pay_to"),
        "transaction": payment.get("transaction"),
    }


def _read_warranty_members(value: Any) -> s.Document:
    warranty = s.read_shape("a warranty", value, _WARRANTY)
    s.check_tag(warranty, _WARRANTY_TAG)
    if warranty["pays_usd"] <= 0:
        raise Malformed("a warranty: `pays_usd` must be above 0")
    return warranty


def _check_warranty(read: _Read, sale: dict[str, Any]) -> str:
    """Whether the warranty beside the receipt is of this sale, by the same key, and of the values of its data."""
    receipt, key = read.receipt, read.signer.key
    signed = read_signed("a warranty", sale["warranty"], _read_warranty_members)
    warranty = signed.document
    demand(
        signed.kid == key.kid and signed.is_signed_by(key.public_key),
        "the warranty is not signed by the key of the receipt",
        "signature",
    )
    demand(
        (warranty["purchase_id"], warranty["payload_sha256"], is_simulated(warranty))
        == (receipt["purchaseId"], receipt["payloadSha256"], is_simulated(receipt)),
        "the warranty is of another sale than the receipt",
        "contradiction",
    )
    until, issued = epoch_ms(warranty["until"]), receipt["issuedAt"] * 1000
    sold_at = until - warranty["days"] * DAY
    demand(
        # A demo sells by the clock of its data.
        is_simulated(receipt) or (sold_at <= issued + CLOCK_TOLERANCE and until > issued),
        "the warranty does not fit the time of the sale",
        "time",
    )
    entries = _warranted_entries(sale.get("data"), sold_at, warranty["greatest_age_hours"])
    demand(
        (len(entries), root_of(entries).hex()) == (warranty["rows"]["size"], warranty["rows"]["root"]),
        "the values that are warranted are not those of the data",
        "hash",
    )
    return f"{len(entries)} values until {warranty['until']}, for {warranty['pays_usd']} USD"


def _warranted_entries(data: Any, sold_at: int, greatest_age_hours: int) -> list[bytes]:
    """The values with an `as_of` of their own that were at most so old at the sale, each once, in the order of the data."""
    entries: dict[str, None] = {}
    for row in dated_rows(data):
        at = epoch_ms(row["as_of"])
        if at >= sold_at - greatest_age_hours * HOUR:
            entries[canonical({**row, "as_of": iso_ms(at)})] = None
            if len(entries) == _MOST_WARRANTED:
                break
    return [utf8(entry) for entry in entries]


def _check_head(receipt: s.Document, kept: str | None) -> Check:
    name, named = "log head", receipt["checkpoint"]
    if named is None:
        return not_checked(name, "the log had no checkpoint at that time", "unavailable")
    if kept is None:
        return not_checked(name, f"{named['origin']}, {named['size']} entries; pass a checkpoint of that size")

    def work() -> str:
        earlier = parse_checkpoint(kept)
        demand(earlier.origin == named["origin"], "the kept checkpoint is of another log", "origin")
        demand(earlier.size == named["size"], "the kept checkpoint has another size", "contradiction")
        demand(earlier.root.hex() == named["root"], "the kept checkpoint has another root", "contradiction")
        return f"{named['origin']}, {named['size']} entries, as in the kept checkpoint"

    return check(name, work)


def _read_payee_members(value: Any) -> s.Document:
    payee = s.read_shape("a payee statement", value, _PAYEE)
    s.check_tag(payee, _PAYEE_TAG)
    return payee


def verify_payee(
    value: Any,
    keys: Any,
    expected: Expected = Expected(),
    *,
    pins: Sequence[str] = (),
    now: int | None = None,
    authority: str | None = None,
) -> list[Check]:
    """Checks a statement of who is paid (parsed JSON): its signature, key, domain, time and address."""

    def read_payee() -> tuple[s.Document, _Signer]:
        signed = read_signed("a payee statement", value, _read_payee_members)
        return signed.document, _answer_key(keys, signed)

    read, statement = reading("payee statement", read_payee, lambda one: f"{one[0]['domain']}")
    if read is None:
        return [statement, _no_key()]
    payee, signer = read
    checks = [
        statement,
        *of_part("payee", _key_checks(signer, payee["signed_at"], pins, now)),
        *_domain_checks(payee, expected.domain if expected.domain is not None else authority, expected.reached_at),
        check("payee's times", lambda: _check_times(payee, now)),
    ]
    if expected.fresh and now is not None:
        checks.append(check("payee statement not stale", lambda: _check_not_stale(payee, now)))
    if expected.pay_to is not None:
        checks.append(check("payee", lambda: _check_paid(payee, expected)))
    return checks


def _check_times(payee: s.Document, now: int | None) -> str:
    begin, end = epoch_ms(payee["signed_at"]), epoch_ms(payee["valid_until"])
    demand(begin < end <= begin + DAY, "the statement holds for another time than a day at most", "time")
    demand(now is None or begin <= now + CLOCK_TOLERANCE, "the statement is signed in the future", "time")
    return f"signed at {payee['signed_at']}, holds until {payee['valid_until']}"


def _check_not_stale(payee: s.Document, now: int) -> str:
    demand(now <= epoch_ms(payee["valid_until"]), f"it held until {payee['valid_until']}; get it again", "time")
    return f"holds until {payee['valid_until']}"


def _domain_checks(payee: s.Document, domain: str | None, reached_at: str | None) -> list[Check]:
    name = "payee's domain"
    if domain is None and reached_at is None:
        return []
    if domain is None and reached_at != payee["domain"]:
        return [not_proved(name, f"the statement is of {payee['domain']}, and you asked {reached_at}", "origin")]
    expected = payee["domain"] if domain is None else domain.lower()

    def work() -> str:
        demand(payee["domain"] == expected, f"the statement is of {payee['domain']}, not of {expected}", "origin")
        return f"{expected}"

    return [check(name, work)]


def _check_paid(payee: s.Document, expected: Expected) -> str:
    named = {"pay_to": expected.pay_to, "asset": expected.asset, "network": expected.network}
    account = next(
        (one for one in payee["payees"] if all(_is_same(one[name], asked) for name, asked in named.items())), None
    )
    if account is None:
        raise Malformed(f"{expected.pay_to} is not where {payee['domain']} is paid", "contradiction")
    return f"{account['pay_to']} on {account['network']}"


def _is_same(a: str, b: str | None) -> bool:
    return b is None or a.lower() == b.lower()
