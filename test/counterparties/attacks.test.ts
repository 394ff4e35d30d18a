/**
 * Forged, stretched and replayed payments. The official facilitator is asked about each as well: what it would
 * refuse we must refuse, and none may move a cent or get a byte of the product.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Hex, parseSignature, serializeSignature, toHex } from "viem"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, payloadOf, type Signed, sign } from "../support/payments.ts"
import { decoded, Shop } from "../support/shop.ts"
import { header, json } from "../support/signed.ts"
import { facilitator } from "./x402.ts"

const now = () => BigInt(Math.floor(Date.now() / 1000))
const stranger = "0x00000000000000000000000000000000000000aa" as const

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The same signature with s in the upper half: another text that recovers to the same key. */
const malleable = (signature: Hex): Hex => {
  const { r, s, yParity } = parseSignature(signature)
  return serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
}

interface Attack {
  readonly name: string
  readonly reason: string
  readonly over?: Parameters<typeof sign>[2]
  /** What is signed for, in place of the offer. */
  readonly signed?: (offer: Requirements) => Requirements
  readonly payload?: (signed: Signed, offer: Requirements) => unknown
  /** The official facilitator lets it pass: it is told the requirements by the seller and asks no more. */
  readonly strictly?: true
}

const value = "invalid_exact_evm_payload_authorization_value_mismatch"
const before = "invalid_exact_evm_payload_authorization_valid_before"
const signature = "invalid_exact_evm_payload_signature"
const requirements = "invalid_payment_requirements"

const accepted =
  (change: Partial<Record<keyof Requirements, unknown>>) => (signed: Signed, offer: Requirements) =>
    payloadOf(signed, offer, { accepted: { ...offer, ...change } })

const attacks: ReadonlyArray<Attack> = [
  { name: "one unit less", reason: value, over: { value: 489_999n } },
  { name: "one unit more", reason: value, over: { value: 490_001n } },
  { name: "nothing", reason: value, over: { value: 0n } },
  { name: "the largest number", reason: value, over: { value: 2n ** 256n - 1n } },
  {
    name: "another recipient",
    reason: "invalid_exact_evm_payload_recipient_mismatch",
    over: { to: stranger }
  },
  { name: "over", reason: before, over: { validBefore: now() - 60n } },
  { name: "about to be over", reason: before, over: { validBefore: now() + 3n } },
  { name: "valid to the year 3000", reason: before, over: { validBefore: 32_503_680_000n }, strictly: true },
  {
    name: "not valid yet",
    reason: "invalid_exact_evm_payload_authorization_valid_after",
    over: { validAfter: now() + 120n }
  },
  { name: "signed for another chain", reason: signature, over: { chainId: 1 } },
  {
    name: "signed for another token",
    reason: signature,
    signed: (offer) => ({ ...offer, asset: stranger })
  },
  {
    name: "signed under the token's other name",
    reason: signature,
    signed: (offer) => ({ ...offer, extra: { name: "USDC", version: "2" } })
  },
  {
    name: "with an amount of its own",
    reason: requirements,
    payload: accepted({ amount: "1" }),
    strictly: true
  },
  {
    name: "with a recipient of its own",
    reason: requirements,
    payload: accepted({ payTo: stranger }),
    strictly: true
  },
  {
    name: "with a token of its own",
    reason: requirements,
    payload: accepted({ asset: stranger }),
    strictly: true
  },
  {
    name: "with a time of its own",
    reason: requirements,
    payload: accepted({ maxTimeoutSeconds: 9e9 }),
    strictly: true
  },
  {
    name: "with more in the offer",
    reason: requirements,
    payload: accepted({ extra: { name: "USD Coin", version: "2", a: 1 } }),
    strictly: true
  },
  { name: "on another network", reason: "invalid_network", payload: accepted({ network: "eip155:84532" }) },
  { name: "by another scheme", reason: "unsupported_scheme", payload: accepted({ scheme: "upto" }) },
  {
    name: "as version 1 in the header of 2",
    reason: "invalid_x402_version",
    payload: (signed, offer) => payloadOf(signed, offer, { x402Version: 1 }),
    strictly: true
  },
  {
    name: "with s in the upper half",
    reason: signature,
    payload: (signed, offer) => payloadOf({ ...signed, signature: malleable(signed.signature) }, offer)
  },
  {
    name: "with half a signature",
    reason: signature,
    payload: (signed, offer) =>
      payloadOf({ ...signed, signature: `0x${signed.signature.slice(2, 66)}` }, offer)
  },
  {
    name: "with the signature of a wallet that is to be deployed",
    reason: signature,
    payload: (signed, offer) =>
      payloadOf({ ...signed, signature: `0x${"00".repeat(96)}${"6492".repeat(16)}` }, offer)
  },
  {
    name: "with another payer's name on it",
    reason: signature,
    payload: (signed, offer) =>
      payloadOf({ ...signed, message: { ...signed.message, from: stranger } }, offer)
  }
]

/** Headers that are no payment at all. */
const base = { x402Version: 2, accepted: {}, payload: { signature: "0x00", authorization: {} } }
const unreadable: ReadonlyArray<readonly [name: string, header: string]> = [
  ["no base64", "{}"],
  ["not JSON", Buffer.from("hello").toString("base64")],
  ["not UTF-8", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString("base64")],
  ["a list", encode([])],
  ["null", encode(null)],
  ["nothing in it", encode({})],
  ["no payload", encode({ ...base, payload: undefined })],
  ["no authorization", encode(base)],
  ["brackets", Buffer.from("[".repeat(12_000)).toString("base64")],
  ["20 kB", Buffer.from(JSON.stringify({ ...base, a: "a".repeat(15_000) })).toString("base64")]
]

const badNumbers: ReadonlyArray<unknown> = [
  490_000,
  "-1",
  "1e309",
  "NaN",
  "0x77",
  " 490000",
  "490000.0",
  "",
  null,
  "0490000",
  "9".repeat(79)
]

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("a payment", (it) => {
  const nothingMoved = Effect.fnUntraced(function* (payer: `0x${string}`, had: bigint) {
    const chain = yield* Chain
    const { payTo } = yield* Shop
    const sql = yield* SqlClient.SqlClient
    assert.strictEqual(yield* chain.balance(payer), had)
    assert.strictEqual(yield* chain.balance(payTo), 0n)
    assert.deepStrictEqual(yield* sql`select id from x402_sale where payer = ${payer.toLowerCase()}`, [])
  })

  it.effect.each(attacks)("$name gets nothing", ({ over, payload, reason, signed, strictly }) =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_provenance")
      const payer = yield* chain.payer(1_000_000n)
      const authorization = yield* Effect.promise(() => sign(payer, signed?.(terms) ?? terms, over))
      const payment = payload?.(authorization, terms) ?? payloadOf(authorization, terms)
      const reply = yield* buy("depin_provenance", encode(payment))
      assert.deepInclude(json(reply), { status: 402, reason })
      assert.deepInclude(decoded(reply, "payment-response"), { success: false, errorReason: reason })
      assert.strictEqual(decoded(reply, "payment-required")["error"], reason)
      assert.notProperty(json(reply), "data")
      if (strictly !== true) {
        const official = yield* facilitator(chain.rpcUrl)
        const verdict = yield* Effect.promise(() =>
          official
            .verify(
              payment as unknown as Parameters<typeof official.verify>[0],
              terms as Parameters<typeof official.verify>[1]
            )
            .catch(() => ({ isValid: false }))
        )
        assert.isFalse(verdict.isValid)
      }
      yield* nothingMoved(payer.address, 1_000_000n)
    })
  )

  it.effect("that cannot be read is a 400, however it is broken", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_provenance")
      const payer = yield* chain.payer(1_000_000n)
      for (const [name, value] of unreadable) {
        const reply = yield* buy("depin_provenance", value)
        assert.deepInclude(
          json(reply),
          { status: 400, reason: "invalid_payload", error: "payment_malformed" },
          name
        )
      }
      const payment = payloadOf(yield* Effect.promise(() => sign(payer, terms)), terms)
      for (const member of ["value", "validAfter", "validBefore", "nonce", "from", "to"]) {
        for (const wrong of badNumbers) {
          const authorization = { ...payment.payload.authorization, [member]: wrong }
          const reply = yield* buy(
            "depin_provenance",
            encode({ ...payment, payload: { ...payment.payload, authorization } })
          )
          assert.strictEqual(reply.status, 400, `${member} ${String(wrong)}`)
        }
      }
      for (const name of ["X-PAYMENT", "PAYMENT-SIGNATURE"]) {
        assert.deepInclude(json(yield* buy("depin_provenance", "%%%", name)), { status: 400, field: name })
      }
      yield* nothingMoved(payer.address, 1_000_000n)
    })
  )

  it.effect("in a header larger than any is refused before it is read", () =>
    Effect.gen(function* () {
      const { buy } = yield* Shop
      const reply = yield* buy("depin_provenance", "A".repeat(1_000_000)).pipe(Effect.exit)
      if (reply._tag === "Success") assert.strictEqual(reply.value.status, 431)
    })
  )

  it.effect("in the alphabet of URLs is read as well", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_networks")
      const payer = yield* chain.payer(1_000_000n)
      const payment = payloadOf(yield* Effect.promise(() => sign(payer, terms)), terms, { note: "???>>>ÿÿÿ" })
      const url = Buffer.from(JSON.stringify(payment)).toString("base64url")
      assert.match(url, /[-_]/)
      const reply = yield* buy("depin_networks", url)
      assert.strictEqual(reply.status, 200)
      assert.notMatch(header(reply, "payment-response"), /[-_]/)
    })
  )

  it.effect("without the money is refused, as is one of a payer whom the token refuses", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_provenance")
      const poor = yield* chain.payer(489_999n)
      const authorization = yield* Effect.promise(() => sign(poor, terms))
      assert.deepInclude(json(yield* buy("depin_provenance", encode(payloadOf(authorization, terms)))), {
        status: 402,
        reason: "insufficient_funds"
      })
      const listed = yield* chain.payer(1_000_000n)
      yield* Effect.promise(() =>
        chain.client.writeContract({
          address: terms.asset as Hex,
          abi: [
            {
              type: "function",
              name: "setBlacklisted",
              stateMutability: "nonpayable",
              inputs: [{ type: "address" }, { type: "bool" }],
              outputs: []
            }
          ],
          functionName: "setBlacklisted",
          args: [listed.address, true]
        })
      )
      const signed = yield* Effect.promise(() => sign(listed, terms))
      assert.deepInclude(json(yield* buy("depin_provenance", encode(payloadOf(signed, terms)))), {
        status: 402,
        reason: "invalid_transaction_state"
      })
    })
  )
})

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("a contract wallet", (it) => {
  it.effect("that is deployed pays; its owner's name does not pay for it", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_networks")
      const owner = yield* chain.payer(0n)
      const wallet = yield* chain.wallet(owner.address)
      yield* chain.mint(wallet, 2_000_000n)
      const authorization = yield* Effect.promise(() => sign(owner, terms, { from: wallet }))
      const reply = yield* buy("depin_networks", encode(payloadOf(authorization, terms)))
      assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      assert.strictEqual(yield* chain.balance(wallet), 1_010_000n)

      const other = yield* chain.payer(0n)
      const forged = yield* Effect.promise(() => sign(other, terms, { from: wallet }))
      assert.deepInclude(json(yield* buy("depin_networks", encode(payloadOf(forged, terms)))), {
        status: 402,
        reason: "invalid_exact_evm_payload_signature"
      })
      assert.strictEqual(yield* chain.balance(wallet), 1_010_000n)
    })
  )

  it.effect("that a key lent its address to (EIP-7702) pays where it confirms what the key signed", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { buy, offer } = yield* Shop
      const terms = yield* offer("depin_networks")
      const payer = yield* chain.payer(2_000_000n)
      yield* chain.delegate(payer, yield* chain.deploy("Delegate"))
      const code = yield* Effect.promise(() => chain.client.getCode({ address: payer.address }))
      assert.match(code ?? "", /^0xef0100[0-9a-f]{40}$/)
      const authorization = yield* Effect.promise(() => sign(payer, terms))
      const other = yield* chain.payer(0n)
      const forged = yield* Effect.promise(() => sign(other, terms, { from: payer.address }))
      const refused = { status: 402, reason: "invalid_exact_evm_payload_signature" }
      assert.deepInclude(json(yield* buy("depin_networks", encode(payloadOf(forged, terms)))), refused)
      const reply = yield* buy("depin_networks", encode(payloadOf(authorization, terms)))
      assert.strictEqual(reply.status, 200, reply.body.toString("utf8"))
      assert.strictEqual(yield* chain.balance(payer.address), 1_010_000n)

      // The token asks the code at the payer's address: what lends it to code that confirms nothing cannot pay.
      yield* chain.delegate(payer, yield* chain.deploy("Batch"))
      const mute = yield* Effect.promise(() => sign(payer, terms))
      assert.deepInclude(json(yield* buy("depin_networks", encode(payloadOf(mute, terms)))), refused)
      assert.strictEqual(yield* chain.balance(payer.address), 1_010_000n)
    })
  )
})
