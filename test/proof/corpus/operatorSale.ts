/** A sale with its receipt and warranty, which its operator writes and signs: what he changes in one document, the others still fit. */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toBase64Url, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { signatureHeader } from "../../../core/proof/statement.ts"
import { warrantedTree } from "../../../core/proof/warranty.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import { secret } from "../../support/publication.ts"

/** The documents that are changed, by name. */
export const saleDocuments = ["data", "payload", "header", "warranty", "sale", "signed warranty"] as const
export type SaleName = (typeof saleDocuments)[number]

const kid = thumbprint(publicKeyOf(secret))
const soldAt = Date.parse("2026-09-05T08:00:00Z")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const orElse = <A>(work: () => A, other: A): A => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed || error instanceof RangeError) return other
    throw error
  }
}

const row = (symbol: string, as_of: string, value: number) => ({
  symbol,
  metric: "total_nodes",
  source: "test",
  as_of,
  value
})

const honestData = {
  rows: [row("A", "2026-09-05T07:00:00Z", 1), row("B", "2026-09-01T11:00:00Z", 2)],
  networks: {
    2: { symbol: "C", metric: "a", source: "s", as_of: "2026-09-05T07:30:00.500Z", value: 1e21 },
    10: { symbol: "D", metric: "a", source: "s", as_of: "2026-09-05T07:30:00Z", value: 1e-7 }
  },
  market: {
    symbol: "E",
    source: "s",
    as_of: "2026-09-05T07:00:00Z",
    price_usd: 3.5,
    market_cap_usd: 7,
    field_sources: { market_cap_usd: { source: "t", as_of: "2026-09-05T07:10:00Z" } }
  }
}

const bytesOf = (text: string): Uint8Array => utf8(text.toWellFormed())

/** The sale as its text; `change` has what the operator wrote otherwise. */
export const operatorSale = (change: (name: SaleName, text: string) => string): string => {
  const of = (name: SaleName, members: object): string => change(name, canonical(members))
  const dataText = of("data", honestData)
  const data = parsed(dataText)
  const payloadSha256 = toHex(sha256(bytesOf(orElse(() => canonical(data), dataText))))
  const payload = of("payload", {
    version: 1,
    network: "eip155:8453",
    resourceUrl: "https://plumbline.test/x402/v1/data/depin_networks",
    payer: "0xd",
    issuedAt: soldAt / 1000 + 5,
    transaction: "0xe",
    purchaseId: "x402_1",
    productKey: "depin_networks",
    asset: "0xA",
    payTo: "0xb",
    amount: "990000",
    payloadSha256,
    checkpoint: { origin: "log.example/plumbline", size: 3, root: "0".repeat(64) }
  })
  const header = of("header", { alg: "EdDSA", kid: `did:web:plumbline.test#${kid}` })
  const spelled = `${toBase64Url(bytesOf(header))}.${toBase64Url(bytesOf(payload))}`
  const tree = orElse(() => warrantedTree(data, { greatest_age_hours: 24, soldAt }), undefined)
  const statement = of("warranty", {
    v: "service-warranty-v1",
    purchase_id: "x402_1",
    payload_sha256: payloadSha256,
    days: 30,
    greatest_age_hours: 24,
    says: "so",
    until: "2026-10-05T08:00:00Z",
    pays_usd: 0.245,
    rows: { size: tree?.size ?? 1, root: tree?.root ?? "0".repeat(64) }
  })
  const sold = Object(parsed(payload)) as Record<string, unknown>
  const { amount, asset, checkpoint, network, payTo, payer, productKey, purchaseId, transaction } = sold
  const warranty = change(
    "signed warranty",
    JSON.stringify({
      ...Object(parsed(statement)),
      kid,
      signature: signatureHeader(signEd25519(bytesOf(statement), secret))
    })
  )
  return change(
    "sale",
    JSON.stringify({
      receipt: { format: "jws", signature: `${spelled}.${toBase64Url(signEd25519(utf8(spelled), secret))}` },
      purchase_id: purchaseId,
      product_key: productKey,
      payload_sha256: sold["payloadSha256"],
      checkpoint,
      warranty: parsed(warranty),
      payment: { network, asset, amount, payer, pay_to: payTo, transaction },
      data
    })
  )
}
