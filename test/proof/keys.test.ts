/** The public-key document: what it says, what it must not say, and when a key may speak. */
import { assert, describe, it } from "vitest"
import { fromBase64Url, fromHex, Malformed } from "../../core/proof/bytes.ts"
import { isPinned, keyDocument, notInUse, parseKeyDocument, thumbprint } from "../../core/proof/keys.ts"
import { publicKeyOf } from "../support/ed25519.ts"

const origin = "log.example/plumbline"
const current = publicKeyOf(new Uint8Array(32).fill(1))
const retired = publicKeyOf(new Uint8Array(32).fill(2))
const next = publicKeyOf(new Uint8Array(32).fill(3))
const past = { notBefore: "2026-08-01T00:00:00Z", notAfter: "2026-09-01T00:00:00Z" }
const present = { notBefore: "2026-09-01T00:00:00Z", notAfter: null }
const coming = { notBefore: "2026-09-20T00:00:00Z", notAfter: null }
const announcedAt = "2026-08-01T00:00:00Z"
const document = keyDocument({
  origin,
  keys: [
    { purpose: "log", publicKey: next, announcedAt, ...coming },
    { purpose: "log", publicKey: current, announcedAt, ...present },
    { purpose: "answers", publicKey: retired, announcedAt, ...past },
    { purpose: "answers", publicKey: current, announcedAt, ...present }
  ],
  now: Date.parse("2026-09-06T00:00:00Z")
})

describe("the key document", () => {
  it("names keys by the thumbprint of RFC 8037, appendix A.3", () => {
    assert.strictEqual(
      thumbprint(fromBase64Url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", 32)),
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    )
  })

  it("is a JWK set with a purpose for each key, the current key that signs answers first", () => {
    assert.deepStrictEqual(
      document.keys.map((key) => [key.status, key.purpose, key.vkey?.split("+")[0]]),
      [
        ["current", "answers", undefined],
        ["current", "log", origin],
        ["announced", "log", origin],
        ["retired", "answers", undefined]
      ]
    )
    const read = parseKeyDocument(JSON.parse(JSON.stringify(document)))
    assert.deepStrictEqual(
      [read.answers, read.log].map((keys) => keys.map((key) => key.publicKey)),
      [
        [current, retired],
        [current, next]
      ]
    )
    assert.strictEqual(read.checkpointOrigin, origin)
    assert.strictEqual(read.batchWithinHours, 9)
    assert.deepStrictEqual(read.rotations, [])
  })

  it("is refused when it contradicts itself or leaves something out", () => {
    const [first] = document.keys
    const other = document.keys[3]
    const log = document.keys[1]
    const change = (members: object) => ({ ...document, keys: [{ ...first, ...members }] })
    for (const bad of [
      null,
      [],
      {},
      { ...document, keys: [] },
      { ...document, checkpoint_origin: 1 },
      { ...document, keys: [log], checkpoint_origin: "other.example" },
      { ...document, keys: [first, first] },
      { ...document, keys: ["key"] },
      change({ kid: other?.kid }),
      change({ x: other?.x }),
      change({ public_key_hex: other?.public_key_hex }),
      change({ vkey: log?.vkey }),
      { ...document, keys: [{ ...log, vkey: document.keys[2]?.vkey }] },
      { ...document, keys: [{ ...log, vkey: undefined }] },
      { ...document, keys: [{ ...log, vkey: log?.vkey?.replace(origin, "other.example") }] },
      { ...document, rotations: undefined },
      { ...document, rotations: [{}] },
      { ...document, promise: undefined },
      { ...document, promise: { batch_within_hours: "9" } },
      change({ purpose: "both" }),
      change({ status: "new" }),
      change({ status: "retired" }),
      change({ announced_at: null }),
      change({ not_before: "2026-02-30T00:00:00Z" }),
      change({ public_key_hex: first?.public_key_hex.toUpperCase() }),
      change({ kty: "EC" }),
      change({ not_before: "yesterday" }),
      change({ not_after: undefined }),
      change({ not_after: "2026-09-01" })
    ]) {
      assert.throws(() => parseKeyDocument(bad), Malformed)
    }
  })

  it("lets a key speak only while it is in use", () => {
    const [now, past] = parseKeyDocument(document).answers
    assert.isDefined(now)
    assert.isDefined(past)
    assert.isUndefined(notInUse(past, "2026-08-01T00:00:00Z"))
    assert.isUndefined(notInUse(past, "2026-09-01T00:00:00Z"))
    assert.match(notInUse(past, "2026-09-01T00:00:01Z") ?? "", /was retired at/)
    assert.match(notInUse(past, "2026-07-31T23:59:59Z") ?? "", /came into use/)
    assert.isUndefined(notInUse(now, "2036-09-01T00:00:00Z"))
    assert.match(notInUse(now, "some day") ?? "", /not an ISO 8601/)
  })

  it("knows a key by what its operator published of it", () => {
    const [now] = parseKeyDocument(document).log
    assert.isDefined(now)
    const member = document.keys[1]
    for (const pin of [member?.kid, member?.public_key_hex, member?.vkey])
      assert.isTrue(isPinned(now, pin ?? "", origin))
    for (const pin of ["", document.keys[2]?.kid ?? "", "kid"]) assert.isFalse(isPinned(now, pin, origin))
    assert.strictEqual(fromHex(member?.public_key_hex ?? "").length, 32)
  })
})
