/** The two signatures of an answer, their agreement with other implementations, and what must not verify. */
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromBase64, fromBase64Url, fromHex, Malformed, Newer, toHex, utf8 } from "../../core/proof/bytes.ts"
import { verifyEd25519 } from "../../core/proof/ed25519.ts"
import {
  baseOf,
  messageSignatureHeader,
  parseSignatureInput,
  signatureBase,
  signatureInput,
  unencodedDigest,
  verifyMessageSignature
} from "../../core/proof/messageSignature.ts"
import {
  bodyHash,
  parseSignatureHeader,
  signatureHeader,
  statementPayload,
  verifyStatement
} from "../../core/proof/statement.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const secret = new Uint8Array(32).fill(5)
const publicKey = publicKeyOf(secret)
const order = 2n ** 252n + 27742317777372353535851937790883648493n

const nativeKey = (seed: Uint8Array) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8"
  })
const nativePublic = (key: Uint8Array) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]),
    format: "der",
    type: "spki"
  })
/** Points of small and mixed order (`fixtures/vectors/make.py`). */
const edges: ReadonlyArray<
  Readonly<Record<"message" | "name" | "public_key" | "signature", string>> & { readonly valid: boolean }
> = JSON.parse(readFileSync(new URL("../../fixtures/vectors/ed25519.json", import.meta.url), "utf8"))
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe("ed25519", () => {
  it("signs and verifies as the native implementation does", () => {
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 200 }), fc.nat(511), (seed, message, bit) => {
        const native = new Uint8Array(sign(null, message, nativeKey(seed)))
        const key = publicKeyOf(seed)
        assert.deepStrictEqual(signEd25519(message, seed), native)
        assert.isTrue(verifyEd25519(native, message, key))
        native[bit >> 3] = (native[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.strictEqual(
          verifyEd25519(native, message, key),
          verify(null, message, nativePublic(key), native)
        )
      }),
      { numRuns: 40 }
    )
  })

  it("agrees with the native implementation on points of small and mixed order, and with another one's vectors", () => {
    for (const { message, name, public_key, signature, valid } of edges) {
      const [key, text, signed] = [fromHex(public_key), fromHex(message), fromHex(signature)]
      assert.strictEqual(verifyEd25519(signed, text, key), valid, name)
      assert.strictEqual(verify(null, text, nativePublic(key), signed), valid, `native: ${name}`)
    }
    assert.isAtLeast(edges.length, 60)
    assert.isAtLeast(edges.filter(({ valid }) => valid).length, 15)
  })

  it("refuses small-order keys, an S beyond the order, and wrong lengths", () => {
    const message = utf8("anything")
    // With the identity as the key, R = identity and S = 0 satisfy the equation for every message.
    const identity = fromHex(`01${"00".repeat(31)}`)
    const everything = fromHex(`01${"00".repeat(63)}`)
    assert.isFalse(verifyEd25519(everything, message, identity))
    for (const small of [
      `${"00".repeat(32)}`,
      `ec${"ff".repeat(30)}7f`,
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"
    ]) {
      assert.isFalse(verifyEd25519(everything, message, fromHex(small, 32)))
    }
    const signature = signEd25519(message, secret)
    const s = BigInt(`0x${toHex(signature.slice(32).reverse())}`) + order
    const grown = fromHex(s.toString(16).padStart(64, "0")).reverse()
    assert.isFalse(verifyEd25519(new Uint8Array([...signature.slice(0, 32), ...grown]), message, publicKey))
    assert.isTrue(verifyEd25519(signature, message, publicKey))
    assert.isFalse(verifyEd25519(signature.slice(1), message, publicKey))
    assert.isFalse(verifyEd25519(signature, message, publicKey.slice(1)))
  })
})

const body = utf8('{"supply":[]}')
const timestamp = "2026-09-05T12:00:00Z"
const payload = statementPayload(
  "c4b36ff3b2a6ec4a9c0b5b0e7fb55bd1c1c6c0b0f2a9d7a2e4a4d2f7d9a3e1b0",
  timestamp,
  "/v1/supply"
)
const statement = (() => {
  const hash = unencodedDigest(body).slice("sha-256=:".length, -1)
  const text = statementPayload(toHex(fromBase64(hash)), timestamp, "/v1/supply")
  return {
    bodySha256: bodyHash(body),
    timestamp,
    path: "/v1/supply",
    signature: signatureHeader(signEd25519(utf8(text), secret)),
    publicKey
  }
})()

describe("the service's statement", () => {
  it("is four fields joined by bars", () => {
    assert.strictEqual(
      payload,
      "service-v1|c4b36ff3b2a6ec4a9c0b5b0e7fb55bd1c1c6c0b0f2a9d7a2e4a4d2f7d9a3e1b0|2026-09-05T12:00:00Z|/v1/supply"
    )
    assert.isTrue(verifyStatement(statement))
  })

  it("fails with a changed body, time or path, another key, another form of the header", () => {
    const lies = [
      { ...statement, bodySha256: bodyHash(utf8('{"supply":[1]}')) },
      { ...statement, timestamp: "2026-09-05T12:00:01Z" },
      { ...statement, timestamp: "2026-09-05T12:00:00.000Z" },
      { ...statement, path: "/v1/market" },
      { ...statement, path: "/v1/supply?x=1" },
      { ...statement, path: "v1/supply" },
      { ...statement, publicKey: publicKeyOf(new Uint8Array(32).fill(6)) },
      { ...statement, signature: statement.signature.replace("ed25519:", "") },
      { ...statement, signature: statement.signature.replace("ed25519:", "Ed25519:") },
      { ...statement, signature: statement.signature.toUpperCase().replace("ED25519:", "ed25519:") },
      { ...statement, signature: statement.signature.slice(0, -2) },
      { ...statement, signature: `${statement.signature}00` },
      { ...statement, signature: "" }
    ]
    for (const lie of lies) assert.isFalse(verifyStatement(lie))
    assert.throws(() => parseSignatureHeader("none"), /must start/)
  })

  it("fails at a time that does not exist, whoever signed it", () => {
    for (const never of ["2026-02-30T12:00:00Z", "2026-09-05T24:00:00Z", "2026-09-05T12:00:60Z"]) {
      const text = statementPayload(statement.bodySha256, never, statement.path)
      const signature = signatureHeader(signEd25519(utf8(text), secret))
      assert.isFalse(verifyStatement({ ...statement, timestamp: never, signature }), never)
    }
  })

  it("cannot be shifted by a bar in a field", () => {
    const text = statementPayload(toHex(new Uint8Array(32)), timestamp, "/a|b")
    const signature = signatureHeader(signEd25519(utf8(text), secret))
    assert.isFalse(verifyStatement({ ...statement, path: "/a|b", signature }))
  })
})

const message = {
  status: 200,
  contentType: "application/json",
  unencodedDigest: unencodedDigest(body),
  timestamp,
  method: "GET",
  authority: "data.example",
  path: "/v1/history",
  query: "?network=FIL"
}
const parameters = { created: Date.parse(timestamp) / 1000, keyid: "kid-1" }
const headers = {
  signatureInput: signatureInput(parameters),
  signature: messageSignatureHeader(signEd25519(utf8(signatureBase(message, parameters)), secret))
}

describe("the RFC 9421 signature", () => {
  it("verifies the vector of appendix B.2.6", () => {
    const inner =
      '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
    const base = baseOf(
      [
        ['"date"', "Tue, 20 Apr 2021 02:07:55 GMT"],
        ['"@method"', "POST"],
        ['"@path"', "/foo"],
        ['"@authority"', "example.com"],
        ['"content-type"', "application/json"],
        ['"content-length"', "18"]
      ],
      inner
    )
    const signature = fromBase64(
      "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
    )
    const key = fromBase64Url("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs", 32)
    assert.isTrue(verifyEd25519(signature, utf8(base), key))
    assert.isFalse(verifyEd25519(signature, utf8(`${base}\n`), key))
  })

  it("covers exactly what it says", () => {
    assert.strictEqual(
      headers.signatureInput,
      'sig1=("@status" "content-type" "unencoded-digest" "x-service-timestamp" "@method";req "@authority";req ' +
        '"@path";req "@query";req);created=1788609600;keyid="kid-1";alg="ed25519";tag="service-v1"'
    )
    assert.deepStrictEqual(parseSignatureInput(headers.signatureInput), parameters)
    assert.isTrue(verifyMessageSignature(message, headers, publicKey))
    assert.strictEqual(signatureBase(message, parameters).split("\n").length, 9)
  })

  it("has one form, which no release changes: another proves nothing, and is no alteration", () => {
    const { signatureInput: input } = headers
    for (const other of [
      input.replace('"@method";req', '"x-service-log-head" "@method";req'),
      input.replace("sig1=", "sig2="),
      `${input}, ${input.replace("sig1=", "sig2=")}`,
      input.replace('tag="service-v1"', 'tag="service-v2"'),
      input.replace(' "@query";req', "")
    ])
      assert.throws(() => parseSignatureInput(other), Newer)
    for (const none of ["", "sig1", `${input} `, input.replace('"ed25519"', "ed25519")])
      assert.throws(() => parseSignatureInput(none), Malformed, "must be")
  })

  it("fails when any covered part changes", () => {
    const lies = [
      { ...message, status: 404 },
      { ...message, contentType: "text/html" },
      { ...message, unencodedDigest: unencodedDigest(utf8("other")) },
      { ...message, timestamp: "2026-09-05T12:00:01Z" },
      { ...message, method: "POST" },
      { ...message, authority: "evil.example" },
      { ...message, path: "/v1/attest" },
      { ...message, query: "?network=HNT" },
      { ...message, contentType: 'text/html\n"unencoded-digest": x' }
    ]
    for (const lie of lies) assert.isFalse(verifyMessageSignature(lie, headers, publicKey))
  })

  it("is refused when it covers less, says other parameters, or is written otherwise", () => {
    const inputs = [
      headers.signatureInput.replace('"@query";req', ""),
      headers.signatureInput.replace(' "@query";req', ""),
      headers.signatureInput.replace('tag="service-v1"', 'tag="other"'),
      headers.signatureInput.replace(';alg="ed25519"', ""),
      headers.signatureInput.replace("kid-1", "kid-2"),
      headers.signatureInput.replace("created=1788609600", "created=1788609601"),
      headers.signatureInput.replace("sig1", "sig2"),
      ""
    ]
    for (const input of inputs) {
      assert.isFalse(verifyMessageSignature(message, { ...headers, signatureInput: input }, publicKey), input)
    }
    for (const signature of ["", headers.signature.replace("sig1", "sig2"), headers.signature.slice(0, -1)]) {
      assert.isFalse(verifyMessageSignature(message, { ...headers, signature }, publicKey))
    }
  })
})
