"""The second verifier for the tests: reads cases as lines of JSON, and answers each with what it says of it."""

import base64
import json
import sys

from plumbline_client.proof import (
    About,
    Expected,
    NotaryPolicy,
    Trust,
    asked_for,
    parse_bundle,
    parse_cosigner,
    parse_evidence,
    parse_json,
    parse_saved,
    parse_vkey,
    quorum_of,
    verify_answer,
    verify_bundle,
    verify_payee,
    verify_receipt,
)
from plumbline_client.proof.agreement import (
    check_comparison_of,
    check_comparisons_of,
    parse_agreement,
    parse_comparison,
    parse_comparisons,
)
from plumbline_client.proof.answer import Asked, SavedAnswer
from plumbline_client.proof.check import Check, check, not_proved, refused
from plumbline_client.proof.cosignature import Quorum
from plumbline_client.proof.ed25519 import verify_ed25519
from plumbline_client.proof.encodings import from_hex, from_utf8, sha256
from plumbline_client.proof.faults import Malformed, demand
from plumbline_client.proof.incidents import parse_incidents
from plumbline_client.proof.keys import demand_continues, parse_key_document, parse_logged_keys
from plumbline_client.proof.leaf import parse_absence_list, parse_leaf, proven_absence
from plumbline_client.proof.log import check_leaves_of, demand_extends, parse_entry
from plumbline_client.proof.notaries import read_notarisation
from plumbline_client.proof.note import parse_checkpoint, parse_checkpoint_text, parse_note, verify_note
from plumbline_client.proof.ots import check_timestamp, parse_detached, verify_timestamp
from plumbline_client.proof.rotation import parse_rotation
from plumbline_client.proof.runs import check_runs_of, parse_run_leaf, parse_run_leaves, parse_runs
from plumbline_client.proof.times import epoch_ms

# Bundles, answers, receipts and statements of who is paid, with all that a reader may bring.


def nested_quorum(members):
    if "witness" in members:
        return Quorum(witness=parse_cosigner(members["witness"]))
    return Quorum(least=members["least"], members=tuple(map(nested_quorum, members["members"])))


def trust_of(options):
    notaries = options.get("notaries")
    return Trust(
        pins=tuple(options.get("pins", [])),
        witnesses=tuple(map(parse_cosigner, options.get("witnesses", []))),
        quorum=nested_quorum(options["quorum"]) if "quorum" in options else None,
        notaries=None
        if notaries is None
        else NotaryPolicy(tuple(map(parse_vkey, notaries["keys"])), notaries["least"]),
        runs_from=options.get("runsFrom"),
        headers={int(height): text for height, text in options.get("headers", {}).items()},
        network=options.get("network", "bitcoin"),
        anchored=options.get("anchored", False),
        now=options.get("now"),
    )


def of_bundle(case):
    options = case["options"]
    return verify_bundle(
        parse_bundle(case["text"]),
        trust_of(options),
        beside=parse_evidence(case["evidence"]) if "evidence" in case else None,
        about=About(**options["about"]) if "about" in options else None,
        kept=options.get("kept"),
        not_before=options.get("notBefore"),
    )


def of_answer(case):
    request = case["request"]
    answer = SavedAnswer(
        case["status"],
        case["headers"],
        case["body"].encode(),
        Asked(request["method"], request.get("authority"), request["path"], request.get("query")),
    )
    return verify_answer(answer, case["keys"], pins=case["pins"], now=case["now"])


def of_receipt(case):
    return verify_receipt(case["text"].encode(), case["keys"], pins=case["pins"], now=case["now"])


def of_payee(case):
    expected = Expected(**case["expected"])
    return verify_payee(case["statement"], case["keys"], expected, pins=case["pins"], now=case["now"])


# The vectors of the formats, by what they ask.


class Vector:
    def __init__(self, case):
        self.files = {role: base64.b64decode(data) for role, data in case["files"].items()}
        self.given = case["given"]

    def text(self, role):
        return from_utf8(self.files[role])

    def texts(self, role):
        return self.text(role).split("\n")[:-1]

    @property
    def only(self):
        return from_utf8(next(iter(self.files.values())))

    @property
    def now(self):
        return epoch_ms(self.given["now"]) if "now" in self.given else None

    @property
    def trusted(self):
        return {"pins": self.given.get("key", []), "now": self.now}


def reading(parse):
    return lambda it: parse(it.only)


def demand_absent(it):
    leaf = parse_leaf(it.text("leaf"))
    parse_absence_list(it.text("list"))
    proven_absence(leaf, it.text("list"), it.given["series"])


def demand_batch(it):
    check_leaves_of(parse_entry(it.text("entry")), list(map(parse_leaf, it.texts("leaves"))))


def demand_head(it):
    note = parse_note(it.only)
    origin = parse_checkpoint_text(note.text).origin
    keys = [key for key in map(parse_vkey, it.given.get("vkeys", [])) if key.name == origin]
    demand(bool(verify_note(note, keys)), "no key that counts signed it", "signature")


def demand_growth(it):
    path = [from_hex(one, 32) for one in json.loads(it.text("path"))]
    demand_extends(parse_checkpoint(it.text("before")), parse_checkpoint(it.text("now")), path)


def demand_signature(it):
    signature, message, key = (from_hex(it.given.get(name, "")) for name in ("signature", "message", "public_key"))
    demand(verify_ed25519(signature, message, key), "the signature does not hold", "signature")


def demand_later(it):
    earlier, later = parse_logged_keys(it.text("earlier")), parse_logged_keys(it.text("later"))
    demand_continues(earlier, later.origin, later.keys, later.rotations)


def demand_hour(it):
    check_runs_of(parse_runs(it.text("document")), parse_run_leaves(it.text("leaves")))


def demand_comparisons(it):
    check_comparisons_of(parse_agreement(it.text("document")), parse_comparisons(it.text("leaves")))


def demand_comparison(it):
    leaf = parse_leaf(it.text("leaf"))
    check_comparison_of(parse_comparison(it.text("comparison")), leaf)


ONE_CHECK = {
    "leaf": reading(parse_leaf),
    "absent": demand_absent,
    "batch": demand_batch,
    "entry": reading(parse_entry),
    "head": demand_head,
    "growth": demand_growth,
    "ed25519": demand_signature,
    "key document": reading(lambda text: parse_key_document(parse_json(text))),
    "logged keys": reading(parse_logged_keys),
    "later keys": demand_later,
    "rotation": reading(parse_rotation),
    "run": reading(parse_run_leaf),
    "skipped": reading(parse_run_leaf),
    "hour": demand_hour,
    "hour document": reading(parse_runs),
    "incidents": reading(parse_incidents),
    "agreement": reading(parse_agreement),
    "comparison": reading(parse_comparison),
    "comparisons": demand_comparisons,
    "comparison of a leaf": demand_comparison,
}


def statement(it):
    found = read_notarisation(it.only, list(map(parse_vkey, it.given.get("notary", []))))
    if found is None:
        return [not_proved("statement", "no notary that counts signed it", "key")]
    return [Check("statement", True, "")]


def timestamp(it):
    detached = parse_detached(it.files["ots"])
    headers = {it.given["height"]: it.text("header")} if "height" in it.given and "header" in it.files else {}
    covers = check(
        "file",
        lambda: demand(detached.timestamp.message == sha256(it.files["file"]), "it does not cover the file", "hash"),
    )
    return [covers, check_timestamp(verify_timestamp(detached.timestamp, headers, it.given.get("network", "bitcoin")))]


def answer(it):
    url = it.given.get("url")
    request = Asked("GET", None, "/v1/supply", None) if url is None else asked_for("GET", url)
    saved = parse_saved(it.files["http"], request)
    return verify_answer(saved, parse_json(it.text("keys")), not_before=it.given.get("not_before"), **it.trusted)


def receipt(it):
    return verify_receipt(
        it.files["receipt"],
        parse_json(it.text("keys")),
        authority=it.given.get("authority"),
        payee=parse_json(it.text("payee")) if "payee" in it.files else None,
        kept=it.text("kept") if "kept" in it.files else None,
        **it.trusted,
    )


def payee(it):
    expected = Expected(domain=it.given.get("domain"), pay_to=it.given.get("pay_to"), fresh=True)
    return verify_payee(parse_json(it.text("payee")), parse_json(it.text("keys")), expected, **it.trusted)


def bundle(it):
    given = it.given
    witnesses = tuple(map(parse_cosigner, given.get("witness", [])))
    notaries = tuple(map(parse_vkey, given.get("notary", [])))
    return verify_bundle(
        parse_bundle(it.text("bundle")),
        Trust(
            pins=tuple(given.get("key", [])),
            now=it.now,
            witnesses=witnesses,
            quorum=quorum_of(witnesses, given.get("quorum", len(witnesses))) if witnesses else None,
            notaries=NotaryPolicy(notaries, given.get("notaries", 1)) if notaries else None,
            anchored=given.get("anchored", False),
        ),
        about=About(**given["about"]) if "about" in given else None,
        kept=given.get("kept"),
        not_before=given.get("not_before"),
        beside=parse_evidence(it.text("evidence")) if "evidence" in it.files else None,
    )


MANY_CHECKS = {
    "statement": statement,
    "timestamp": timestamp,
    "answer": answer,
    "receipt": receipt,
    "payee": payee,
    "bundle": bundle,
}


def of_vector(case):
    """None where this verifier does not know what is asked."""
    asks, it = case["asks"], Vector(case)
    if asks in ONE_CHECK:
        return [check("append-only" if asks == "growth" else asks, lambda: str(ONE_CHECK[asks](it)))]
    if asks not in MANY_CHECKS:
        return None
    try:
        return MANY_CHECKS[asks](it)
    except Malformed as fault:
        return [refused(asks, fault)]


VERIFIERS = {
    "bundle": of_bundle,
    "answer": of_answer,
    "receipt": of_receipt,
    "payee": of_payee,
    "vector": of_vector,
}


def checks_of(case):
    try:
        return VERIFIERS[case["what"]](case)
    except Malformed as fault:
        return [refused("read", fault)]


def outcome_of(case):
    checks = checks_of(case)
    return None if checks is None else [[one.name, one.ok, one.reason] for one in checks]


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(outcome_of(json.loads(line))), flush=True)
