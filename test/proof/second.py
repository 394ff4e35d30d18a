"""The second verifier for the tests: reads cases as lines of JSON, and answers each with what it says of it."""

import json
import sys

from plumbline_client.proof import (
    About,
    Expected,
    NotaryPolicy,
    Trust,
    parse_bundle,
    parse_cosigner,
    parse_evidence,
    parse_vkey,
    verify_answer,
    verify_bundle,
    verify_payee,
    verify_receipt,
)
from plumbline_client.proof.answer import Asked, SavedAnswer
from plumbline_client.proof.check import refused
from plumbline_client.proof.cosignature import Quorum
from plumbline_client.proof.faults import Malformed


def quorum_of(members):
    if "witness" in members:
        return Quorum(witness=parse_cosigner(members["witness"]))
    return Quorum(least=members["least"], members=tuple(map(quorum_of, members["members"])))


def trust_of(options):
    witnesses = tuple(map(parse_cosigner, options.get("witnesses", [])))
    notaries = options.get("notaries")
    return Trust(
        pins=tuple(options.get("pins", [])),
        witnesses=witnesses,
        quorum=quorum_of(options["quorum"]) if "quorum" in options else None,
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


VERIFIERS = {"bundle": of_bundle, "answer": of_answer, "receipt": of_receipt, "payee": of_payee}


def checks_of(case):
    try:
        return VERIFIERS[case["what"]](case)
    except Malformed as fault:
        return [refused("read", fault)]


for line in sys.stdin:
    print(json.dumps([[one.name, one.ok, one.reason] for one in checks_of(json.loads(line))]), flush=True)
