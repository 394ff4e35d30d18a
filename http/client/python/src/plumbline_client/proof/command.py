"""The command. It reads files alone, and says one line for each check, or one JSON object."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .answer import asked_for, parse_saved, saved_url, verify_answer
from .bundle import parse_bundle, verify_bundle
from .check import Check, exit_of, not_checked, refused
from .cosignature import Quorum, parse_cosigner, quorum_of
from .encodings import from_utf8
from .evidence import parse_evidence
from .faults import CouldNotLook, Malformed, demand
from .json_text import parse_json
from .note import parse_vkey
from .receipt import verify_receipt
from .times import is_time
from .trust import NotaryPolicy, Trust

_VERDICTS = ("holds", "does not hold", "not proved")
_MARKS: dict[Any, str] = {True: "ok", False: "FAILED", "not proved": "not proved", "not checked": "not checked"}
_HEADER = re.compile(r"([0-9]{1,9})=(.+)", re.DOTALL)
_CHAIN_PROOF = re.compile(r"service-chain-proof-v[0-9]+(-demo)?")
# Text of a file must not control the terminal.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")


def main(arguments: Sequence[str]) -> int:
    """Runs the command and gives its exit code: 0 holds, 1 does not hold, 2 is not proved."""
    is_json = "--json" in arguments
    try:
        options = _parser().parse_args(arguments)
        checks = options.verify(options)
    except SystemExit as leaving:
        return 0 if leaving.code == 0 else 2
    except Malformed as fault:
        return _stop(is_json, 1 if refused("", fault).ok is False else 2, str(fault))
    except Exception as fault:  # noqa: BLE001
        # A fault of the verifier itself says nothing of what it looked at.
        return _stop(is_json, 2, f"the verifier failed: {fault!r}")
    return _say(is_json, checks)


def _say(is_json: bool, checks: Sequence[Check]) -> int:
    code = exit_of(checks)
    if is_json:
        said = {
            "verdict": _VERDICTS[code],
            "exit": code,
            "checks": [one.as_json() for one in checks],
            "checked": [one.name for one in checks if isinstance(one.ok, bool)],
            "not_checked": [{"name": one.name, "detail": one.detail} for one in checks if one.ok == "not checked"],
        }
        print(json.dumps(said))
        return code
    for one in checks:
        print(f"{_MARKS[one.ok]:<11}  {_plain(one.name)}: {_plain(one.detail)}")
    print(f"{_VERDICTS[code]} (exit {code})")
    return code


def _stop(is_json: bool, code: int, message: str) -> int:
    """Says why there is no list of checks."""
    if is_json:
        print(json.dumps({"verdict": _VERDICTS[code], "exit": code, "checks": [], "error": message}))
    else:
        print(f"{'FAILED' if code == 1 else 'not proved':<11}  {_plain(message)}")
    return code


def _plain(text: str) -> str:
    return _INVISIBLE.sub("\ufffd", text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m plumbline_client", allow_abbrev=False)
    verify = parser.add_subparsers(required=True).add_parser("verify", help="check what a service published")
    kinds = verify.add_subparsers(required=True)

    bundle = _kind(kinds, "bundle", "a value, or an absence, in one file", _verify_bundle)
    bundle.add_argument("--evidence", help="what the log has beside a bundle of version 2 (format=evidence)")
    bundle.add_argument("--kept", help="a checkpoint kept earlier: without --key, its signers count")
    bundle.add_argument("--witness", action="append", default=[], help="verifier key of a witness; repeatable")
    bundle.add_argument("--quorum", type=int, help="how many of the witnesses must have cosigned (default 1)")
    bundle.add_argument("--notary", action="append", default=[], help="verifier key of a notary; repeatable")
    bundle.add_argument("--notaries", type=int, help="how many of the notaries must have carried it (default 1)")
    bundle.add_argument("--header", action="append", default=[], help="<height>=<file of 160 hex digits>")
    bundle.add_argument("--network", default="bitcoin", choices=("bitcoin", "bitcoin-regtest-fixture"))
    bundle.add_argument("--anchored", action="store_true", help="require a block, by a header that is given")
    bundle.add_argument("--not-before", help="a batch that was closed before this time is stale")

    response = _kind(kinds, "response", "an answer saved by curl", _verify_response)
    response.add_argument("--headers", help="the headers, where curl -D saved them beside the body")
    response.add_argument("--url", help="the address that was asked, unless the file begins with it")
    response.add_argument("--method", default="GET")
    response.add_argument("--authority", help="the service's own host, where it was reached under another")
    response.add_argument("--body-only", action="store_true", help="do not ask about query and status")
    response.add_argument("--not-before", help="an answer from before this time is stale")

    receipt = _kind(kinds, "receipt", "a sale per request, or its receipt alone", _verify_receipt)
    receipt.add_argument("--payee", help="the saved /.well-known/payee.json, which must name the address paid")
    receipt.add_argument("--kept", help="a checkpoint of the size that the receipt names")
    receipt.add_argument("--authority", help="the service's own host")

    _kind(kinds, "chain", "the proof of a chain, which this verifier does not know", _verify_chain)
    return parser


def _kind(kinds: Any, name: str, what: str, verify: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = kinds.add_parser(name, help=what, description=what, allow_abbrev=False)
    parser.set_defaults(verify=verify)
    parser.add_argument("file")
    parser.add_argument("--key", action="append", default=[], help="a key from elsewhere: kid, hex or verifier key")
    parser.add_argument("--keys", help="the saved /.well-known/service-signing-key.json")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CouldNotLook(f"cannot read file {path}") from error


def _text(path: str | None) -> str | None:
    return None if path is None else from_utf8(_read(path))


def _json_of(path: str | None) -> Any:
    text = _text(path)
    return None if text is None else parse_json(text)


def _need(value: Any, name: str) -> Any:
    if value is None:
        raise CouldNotLook(f"{name} is missing")
    return value


def _now() -> int:
    return time.time_ns() // 1_000_000


def _time(text: str | None) -> str | None:
    if text is not None and not is_time(text):
        raise CouldNotLook(f"--not-before: {text} is not an ISO 8601 time in UTC")
    return text


def _verify_bundle(options: argparse.Namespace) -> list[Check]:
    bundle = parse_bundle(from_utf8(_read(options.file)))
    beside = _text(options.evidence)
    return verify_bundle(
        bundle,
        _trust_of(options),
        beside=None if beside is None else parse_evidence(beside),
        kept=_text(options.kept),
        not_before=_time(options.not_before),
        keys=_json_of(options.keys),
    )


def _trust_of(options: argparse.Namespace) -> Trust:
    witnesses = tuple(map(parse_cosigner, options.witness))
    notaries = tuple(map(parse_vkey, options.notary))
    for name, least, most in (
        ("--quorum", options.quorum, len(witnesses)),
        ("--notaries", options.notaries, len(notaries)),
    ):
        if least is not None and not 1 <= least <= most:
            raise CouldNotLook(f"{name}: {least} of {most} can never be met")
    if len({key.public_key for key in notaries}) < len(notaries):
        raise CouldNotLook("--notary: a key is given twice")
    quorum: Quorum | None = quorum_of(witnesses, options.quorum or 1) if witnesses else None
    return Trust(
        pins=tuple(options.key),
        witnesses=witnesses,
        quorum=quorum,
        notaries=NotaryPolicy(notaries, options.notaries or 1) if notaries else None,
        headers=dict(map(_block_header, options.header)),
        network=options.network,
        anchored=options.anchored,
        now=_now(),
    )


def _block_header(option: str) -> tuple[int, str]:
    found = _HEADER.fullmatch(option)
    if found is None:
        raise CouldNotLook(f"--header: {option} must be <height>=<file of 160 hex digits>")
    return int(found[1]), from_utf8(_read(found[2]))


def _verify_response(options: argparse.Namespace) -> list[Check]:
    saved = _read(options.headers or options.file)
    url = _need(options.url or saved_url(saved), "--url (the URL the answer came from)")
    body = None if options.headers is None else _read(options.file)
    return verify_answer(
        parse_saved(saved, asked_for(options.method, url, options.authority), body),
        _need(_json_of(options.keys), "--keys"),
        pins=options.key,
        now=_now(),
        not_before=_time(options.not_before),
        body_only=options.body_only,
    )


def _verify_chain(options: argparse.Namespace) -> list[Check]:
    """Says that it is one, and that nothing of it is checked here."""
    proof = parse_json(from_utf8(_read(options.file)))
    tag = proof.get("v") if isinstance(proof, dict) else None
    demand(isinstance(tag, str) and _CHAIN_PROOF.fullmatch(tag) is not None, "this is no proof of a chain")
    return [not_checked("chain", "this verifier does not know it", "newer")]


def _verify_receipt(options: argparse.Namespace) -> list[Check]:
    return verify_receipt(
        _read(options.file),
        _need(_json_of(options.keys), "--keys"),
        pins=options.key,
        now=_now(),
        authority=options.authority,
        kept=_text(options.kept),
        payee=_json_of(options.payee),
    )
