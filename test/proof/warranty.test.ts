import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../core/process/sha256.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { publicKeyOf, signEd25519 } from "../../core/proof/ed25519.ts"
import { signJws } from "../../core/proof/jws.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import type { ReceiptPayload } from "../../core/proof/receipt.ts"
import { verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import { mostWarranted, type SaleWarranty, warrantedTree } from "../../core/proof/warranty.ts"
import { keys, secret } from "../support/publication.ts"

const soldAt = Date.parse("2026-09-02T12:00:00Z")
const row = (symbol: string, as_of: string, value: number) => ({
  symbol,
  metric: "total_nodes",
  source: "test",
  as_of,
  value
})
const data = { rows: [row("A", "2026-09-02T11:00:00Z", 1), row("B", "2026-09-01T11:00:00Z", 2)] }

const saleOf = (rows: SaleWarranty["rows"]) => {
  const warranty = {
    days: 30,
    greatest_age_hours: 24,
    says: "so",
    until: "2026-10-02T12:00:00Z",
    pays_usd: 0.245,
    rows
  }
  const payload: ReceiptPayload = {
    version: 1,
    network: "eip155:8453",
    resourceUrl: "https://a.example/x402/v1/data/depin_networks",
    payer: "0x1",
    issuedAt: soldAt / 1000,
    transaction: "0x2",
    purchaseId: "x402_1",
    productKey: "depin_networks",
    asset: "0x3",
    payTo: "0x4",
    amount: "490000",
    payloadSha256: toHex(sha256(utf8(canonical(data)))),
    checkpoint: null,
    warranty
  }
  const sign = (message: Uint8Array) => signEd25519(message, secret)
  const receipt = signJws(payload, "a.example", { kid: thumbprint(publicKeyOf(secret)), sign })
  return utf8(
    JSON.stringify({
      receipt,
      purchase_id: payload.purchaseId,
      product_key: payload.productKey,
      payload_sha256: payload.payloadSha256,
      checkpoint: null,
      warranty,
      payment: {
        network: payload.network,
        asset: payload.asset,
        amount: payload.amount,
        payer: payload.payer,
        pay_to: payload.payTo,
        transaction: payload.transaction
      },
      data
    })
  )
}

const treeOf = (of: unknown) => {
  const tree = warrantedTree(of, { greatest_age_hours: 24, soldAt })
  return tree === undefined ? assert.fail("no tree") : { size: tree.size, root: tree.root }
}

const named = (rows: SaleWarranty["rows"]) =>
  verifyReceipt(saleOf(rows), { keys }).filter(({ name }) => name === "warranty" || name === "sale")

describe("the warranty of a receipt", () => {
  it("is of the values that the data has, without those that were too old", () => {
    assert.strictEqual(treeOf(data).size, 1)
    assert.deepStrictEqual(
      named(treeOf(data)).map(({ name, ok }) => [name, ok]),
      [
        ["sale", true],
        ["warranty", true]
      ]
    )
    const other = treeOf({ rows: [row("A", "2026-09-02T11:00:00Z", 3)] })
    assert.strictEqual(named(other).find(({ name }) => name === "warranty")?.ok, false)
  })

  it("covers each value once, and no more than it says", () => {
    const many = Array.from({ length: mostWarranted + 7 }, (_, n) => row("A", "2026-09-02T11:00:00Z", n))
    assert.strictEqual(treeOf([...many.slice(0, 3), ...many]).size, mostWarranted)
    assert.strictEqual(treeOf([many[0], many[0]]).size, 1)
    assert.isUndefined(warrantedTree({ rows: [] }, { greatest_age_hours: 24, soldAt }))
  })
})
