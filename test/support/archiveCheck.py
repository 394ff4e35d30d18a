"""Checks a service's archive against its log, from the formats page alone: Python's own library and no code of the service.

    archiveCheck.py fetch <address> <folder> <key>   the files, the log and the head, whose hashes and key must be right
    archiveCheck.py check <folder>                   the rows that DuckDB read from the files (<file>.json), against the log

`key` is the verifier key of the log (<name>+<id>+<base64>). openssl checks the signature.
"""

import base64
import datetime
import hashlib
import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

LEAF, NODE = b"\x00", b"\x01"


def digest(data):
    return hashlib.sha256(data).digest()


def root(hashes):
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return digest(NODE + root(hashes[:split]) + root(hashes[split:]))


def get(address, path, wanted=(200,)):
    try:
        with urllib.request.urlopen(urllib.parse.urljoin(address, path)) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        status, body = refused.code, refused.read()
    assert status in wanted, f"{path}: HTTP {status}"
    return body if status == 200 else None


def signed_by(text, signatures, key, folder):
    name, key_id, encoded = key.split("+", 2)
    public = base64.b64decode(encoded)[1:]
    for line in signatures:
        _, signer, signature = line.split(" ")
        blob = base64.b64decode(signature)
        if signer != name or blob[:4].hex() != key_id:
            continue
        for file, content in {
            "key.der": bytes.fromhex("302a300506032b6570032100") + public,
            "text": text,
            "signature": blob[4:],
        }.items():
            (folder / file).write_bytes(content)
        subprocess.run(
            ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", folder / "key.der", "-keyform", "DER"]
            + ["-rawin", "-in", folder / "text", "-sigfile", folder / "signature"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return True
    return False


def fetch(address, folder, key):
    note = get(address, "/v1/log/checkpoint").decode()
    text, _, signatures = note.partition("\n\n")
    origin, size, head = text.split("\n")
    size = int(size)
    assert signed_by((text + "\n").encode(), signatures.strip().split("\n"), key, folder), "no signature of the key"

    entries = []
    for tile in range((size + 255) // 256):
        width = min(256, size - tile * 256)
        assert tile < 1000
        rest = get(address, f"/v1/log/tile/entries/{tile:03}" + ("" if width == 256 else f".p/{width}"))
        while rest:
            length = int.from_bytes(rest[:2], "big")
            entries.append(rest[2 : 2 + length])
            rest = rest[2 + length :]
    assert len(entries) == size
    assert base64.b64encode(root([digest(LEAF + entry) for entry in entries])).decode() == head, "the log's root"
    (folder / "entries.json").write_text(json.dumps([json.loads(entry) for entry in entries]))

    committed = {entry["subject"]: entry["sha256"] for entry in map(json.loads, entries) if entry.get("kind") == "archive"}
    sums = dict(reversed(line.split("  ")) for line in get(address, "/v1/archive/SHA256SUMS").decode().splitlines())
    assert sums == committed, "SHA256SUMS and the log"
    for name, sha256 in sums.items():
        # Older files need a key.
        content = get(address, f"/v1/archive/{name}", (200, 402))
        if content is None:
            continue
        assert hashlib.sha256(content).hexdigest() == sha256, name
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(name)


def number(value):
    return int(value) if value == int(value) and abs(value) < 1e21 else value


def moment(ms):
    seconds, fraction = divmod(ms, 1000)
    text = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{fraction:03}" if fraction else "") + "Z"


def leaf(row):
    simulated = row["simulated"]
    members = {
        "v": "service-leaf-v2" + ("-demo" if simulated else ""),
        **{name: row[name] for name in ("kind", "symbol", "metric", "source", "unit", "day", "verify_url")},
        **{name: row[name] for name in ("n_observations", "version", "readings_sha256")},
        "as_of": moment(row["as_of"]),
        "recorded_at": moment(row["recorded_at"]),
        "value": number(row["value"]),
        **{name: row[name] for name in ("value_text", "follows", "excluded_by") if row[name] is not None},
        **({"simulated": True} if simulated else {}),
    }
    return json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def check(folder):
    entries = json.loads((folder / "entries.json").read_text())
    batches = {entry["days"][0]: entry for entry in entries if "root" in entry}
    for path in sorted(folder.glob("daily/*/*/*.json")):
        found = json.loads(path.read_text())
        statement = json.loads(found["statement"])
        hashes = []
        for row in found["rows"]:
            hashes.append(digest(LEAF + leaf(row)))
            assert hashes[-1].hex() == row["leaf_hash"], f"{path}: {leaf(row)}"
        hashes.append(digest(LEAF + statement["absence"].encode()))
        batch = batches[statement["first_day"]]
        assert batch["tree_size"] == len(hashes), path
        assert batch["root"] == root(hashes).hex(), path
        print(f"{statement['first_day']}: {len(found['rows'])} rows under the root of the log")


if __name__ == "__main__":
    place = pathlib.Path(sys.argv[3] if sys.argv[1] == "fetch" else sys.argv[2])
    fetch(sys.argv[2], place, sys.argv[4]) if sys.argv[1] == "fetch" else check(place)
