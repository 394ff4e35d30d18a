/** In whose name a JWS is signed: a host, or a path below it, as `did:web` writes it; and what else that name is no place for. */
import { assert, describe, it } from "@effect/vitest"
import { utf8 } from "../../core/proof/bytes.ts"
import { didOf, readJws, signJws } from "../../core/proof/jws.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import type { ReceiptPayload } from "../../core/proof/receipt.ts"
import { verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
import { keys, secret } from "../support/publication.ts"

const key = {
  kid: thumbprint(publicKeyOf(secret)),
  sign: (message: Uint8Array) => signEd25519(message, secret)
}

const receiptOf = (resourceUrl: string): ReceiptPayload => ({
  version: 1,
  network: "eip155:8453",
  resourceUrl,
  payer: "0x1",
  issuedAt: Date.parse("2026-09-02T12:00:00Z") / 1000,
  transaction: "0x2",
  purchaseId: "x402_1",
  productKey: "depin_networks",
  asset: "0x3",
  payTo: "0x4",
  amount: "490000",
  payloadSha256: "ab".repeat(32),
  checkpoint: null
})

describe("who signed a JWS", () => {
  it("is a host, or a path below it", () => {
    const dids = {
      "a.example": "did:web:a.example",
      "a.example:8080": "did:web:a.example%3A8080",
      "a.example/test": "did:web:a.example:test",
      "a.example:8080/x/test": "did:web:a.example%3A8080:x:test"
    }
    for (const [place, did] of Object.entries(dids)) {
      assert.strictEqual(didOf(place), did)
      const read = readJws(signJws({}, place, key).signature)
      assert.deepStrictEqual([read.place, read.kid], [place, key.kid])
    }
    for (const place of ["", "a.example/", "a.example//test", "a.example#b"])
      assert.throws(() => readJws(signJws({}, place, key).signature), "did:web:", place)
  })

  it("sells what is at its place alone", () => {
    const outcome = (place: string, resourceUrl: string) =>
      verifyReceipt(utf8(signJws(receiptOf(resourceUrl), place, key).signature), { keys })[0]?.ok
    assert.isTrue(outcome("a.example/test", "https://a.example/test/x402/v1/data/depin_networks"))
    assert.isTrue(outcome("a.example", "https://a.example/x402/v1/data/depin_networks"))
    for (const url of [
      "https://a.example/x402/v1/data/depin_networks",
      "https://a.example/tests/x402/v1/data/depin_networks",
      "https://b.example/test/x402/v1/data/depin_networks",
      "https://a.example/test/../x402/v1/data/depin_networks",
      "ftp://a.example/test/x402",
      "a.example/test/x402"
    ])
      assert.isFalse(outcome("a.example/test", url), url)
    assert.isFalse(outcome("a.example", "https://a.example.evil/x402"))
  })
})
