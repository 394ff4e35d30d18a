import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../core/process/sha256.ts"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { signJws } from "../../core/proof/jws.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import type { ReceiptPayload } from "../../core/proof/receipt.ts"
import { withSignature } from "../../core/proof/signedMembers.ts"
import { verifyReceipt } from "../../core/proof/verifyReceipt.ts"
import {
  mostWarranted,
  type SaleWarranty,
  type WarrantyStatement,
  warrantedTree
} from "../../core/proof/warranty.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
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

const key = {
  kid: thumbprint(publicKeyOf(secret)),
  sign: (message: Uint8Array) => signEd25519(message, secret)
}

/** A sale and its warranty, with other members where `other` has them. */
const saleOf = (rows: SaleWarranty["rows"], other: Partial<WarrantyStatement> = {}, signer = key) => {
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
    checkpoint: null
  }
  const receipt = signJws(payload, "a.example", key)
  const statement: WarrantyStatement = {
    v: "service-warranty-v1",
    purchase_id: payload.purchaseId,
    payload_sha256: payload.payloadSha256,
    days: 30,
    greatest_age_hours: 24,
    says: "so",
    until: "2026-10-02T12:00:00Z",
    pays_usd: 0.245,
    rows,
    ...other
  }
  return utf8(
    JSON.stringify({
      receipt,
      purchase_id: payload.purchaseId,
      product_key: payload.productKey,
      payload_sha256: payload.payloadSha256,
      checkpoint: null,
      warranty: withSignature(statement, signer),
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

const named = (...sale: Parameters<typeof saleOf>) =>
  verifyReceipt(saleOf(...sale), { keys }).filter(({ name }) => name === "warranty" || name === "sale")

const warranty = (...sale: Parameters<typeof saleOf>) =>
  named(...sale).find(({ name }) => name === "warranty")

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
    assert.strictEqual(warranty(other)?.ok, false)
  })

  it("is of this sale, signed by the key of the receipt, for a time that fits it", () => {
    const rows = treeOf(data)
    const other = new Uint8Array(32).fill(9)
    const stranger = {
      kid: thumbprint(publicKeyOf(other)),
      sign: (message: Uint8Array) => signEd25519(message, other)
    }
    const forged: ReadonlyArray<readonly [Partial<WarrantyStatement>, RegExp, typeof key?]> = [
      [{ purchase_id: "x402_2" }, /another sale/],
      [{ payload_sha256: "0".repeat(64) }, /another sale/],
      [{ v: "service-warranty-v1-demo", simulated: true }, /another sale/],
      [{ until: "2026-09-02T11:00:00Z", days: 1 }, /does not fit/],
      [{ until: "2026-12-02T12:00:00Z" }, /does not fit/],
      // As if it had been sold two days before: values would be covered that were too old at the sale.
      [{ until: "2026-09-30T12:00:00Z" }, /does not fit/],
      [{ days: 36_501, until: "2126-09-01T12:00:00Z" }, /at most 36500 days/],
      [{ greatest_age_hours: 1e9 }, /at most 36500 days/],
      [{ pays_usd: 0 }, /above 0/],
      [{ pays_usd: -5 }, /above 0/],
      [{}, /not signed by the key/, stranger],
      [{}, /not signed by the key/, { ...stranger, kid: key.kid }]
    ]
    for (const [members, says, signer] of forged) {
      const checked = warranty(rows, members, signer)
      assert.strictEqual(checked?.ok, false, String(says))
      assert.match(checked?.detail ?? "", says)
    }
  })

  it("of a newer release is not proved", () => {
    const newer = "service-warranty-v2" as WarrantyStatement["v"]
    assert.strictEqual(warranty(treeOf(data), { v: newer })?.ok, "not proved")
  })

  it("covers each value once, and no more than it says", () => {
    const many = Array.from({ length: mostWarranted + 7 }, (_, n) => row("A", "2026-09-02T11:00:00Z", n))
    assert.strictEqual(treeOf([...many.slice(0, 3), ...many]).size, mostWarranted)
    assert.strictEqual(treeOf([many[0], many[0]]).size, 1)
    assert.isUndefined(warrantedTree({ rows: [] }, { greatest_age_hours: 24, soldAt }))
  })
})
