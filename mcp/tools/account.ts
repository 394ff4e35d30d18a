/** Accounts and money: in the full edition only. */

import { Effect, Schema } from "effect"
import { Accounts, balanceOf } from "../../core/credits/Accounts.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { pricing } from "../../core/credits/pricing.ts"
import { topUp } from "../../core/credits/topUp.ts"
import { BadParameter } from "../../core/data/errors.ts"
import { Balance, Registration, RegistrationRequest } from "../../core/wire/credits/accounts.ts"
import { Pricing } from "../../core/wire/credits/pricing.ts"
import { PurchaseResult } from "../../core/wire/credits/receipt.ts"
import { TopUpRequest, TopUpResult } from "../../core/wire/credits/topUp.ts"
import { cursor, leftOut, mostCharacters, nextCursor, placeOf, text } from "../bounds.ts"
import { escaped } from "../clean.ts"
import { accountOf, define, reads } from "../Tool.ts"

const full = ["full"] as const

const idempotency_key = text("the same key and arguments get the first answer again and are charged once")

export const registerAgent = define({
  name: "register_agent",
  title: "Get a free API key",
  description:
    "Make an account and its API key, with starter credits for the first keys of a network. Not needed for reading. The " +
    "key is shown once: keep it. Each call makes another account.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  editions: full,
  input: RegistrationRequest,
  output: Registration,
  run: Effect.fnUntraced(function* (input, { network }) {
    return yield* (yield* Accounts).register(input, network)
  })
})

export const checkBalance = define({
  name: "check_balance",
  title: "Balance of a key",
  description: "Credits that the key may spend; 1 credit is 1 USD. Free.",
  annotations: reads,
  editions: full,
  key: "needed",
  input: Schema.Struct({}),
  output: Balance,
  run: (_, call) => Effect.map(accountOf(call), balanceOf)
})

export const listProducts = define({
  name: "list_products",
  title: "Products and prices",
  description:
    "What is sold: `sections` by product_key with price and status (only `available` ones can be had), top-up packs, " +
    "subscriptions. Reading networks, history and proofs is free.",
  annotations: reads,
  input: Schema.Struct({}),
  output: Pricing,
  depth: 1,
  run: Effect.fnUntraced(function* () {
    const { built } = yield* Purchases
    return pricing(built)
  })
})

const decoder = new TextDecoder()

/** A purchase's answer with its payload; of one that is too long for an answer, the part of its text from one place on. */
const delivered = (bytes: Uint8Array, from: number): object => {
  const answer = decoder.decode(bytes)
  // `data` is the last member (`withData`), so this is where its text begins.
  const at = answer.indexOf(',"data":')
  const head: { readonly purchase_id?: string } = JSON.parse(`${answer.slice(0, at)}}`)
  const text = escaped(answer.slice(at + ',"data":'.length, -1))
  const data: unknown = JSON.parse(text)
  if (text.length <= mostCharacters) return { ...head, data }
  const end = from + mostCharacters
  return {
    ...head,
    data_text: text.slice(from, end),
    left_out:
      `data is ${text.length} characters of JSON; this is ${from} to ${Math.min(end, text.length)}. More: purchase_data with ` +
      `purchase_id and cursor, free; or GET /v1/credits/purchases/${head.purchase_id}?include=data for all of it.`,
    ...(end < text.length ? { next_cursor: String(end) } : {})
  }
}

export const purchaseData = define({
  name: "purchase_data",
  title: "Buy a product",
  description:
    "Spend credits on a product and receive it inline; nothing is charged when it can not be delivered. Send an " +
    "idempotency_key so that a retry is not charged again. With purchase_id receive an earlier purchase again, free.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  editions: full,
  key: "needed",
  input: Schema.Struct({
    product_key: text("a key of list_products' sections"),
    inputs: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Unknown).annotate({
        description: "as `inputs` of its section in list_products says"
      })
    ),
    idempotency_key,
    purchase_id: text("in place of product_key: deliver this purchase again"),
    cursor
  }),
  output: Schema.Struct({
    ...Object.fromEntries(
      Object.entries(PurchaseResult.fields).map(([name, field]) => [name, Schema.optionalKey(field)])
    ),
    price: Schema.optionalKey(Schema.Finite),
    data: Schema.optionalKey(Schema.Unknown),
    data_text: Schema.optionalKey(Schema.String),
    left_out: leftOut,
    next_cursor: nextCursor
  }),
  depth: 1,
  longestText: mostCharacters + 1000,
  run: Effect.fnUntraced(function* ({ cursor, idempotency_key, inputs, product_key, purchase_id }, call) {
    const account = yield* accountOf(call)
    const purchases = yield* Purchases
    if ((product_key === undefined) === (purchase_id === undefined)) {
      return yield* new BadParameter({
        field: "product_key",
        message: "product_key: give either a product_key to buy or a purchase_id to receive again."
      })
    }
    // Before anything is charged.
    const from = yield* placeOf(cursor)
    const bytes =
      purchase_id === undefined
        ? yield* purchases.buy(account, { ...inputs, product_key }, idempotency_key)
        : yield* purchases.receipt(account, purchase_id, "data")
    return delivered(bytes, from)
  })
})

export const topUpCredits = define({
  name: "topup_credits",
  title: "Add credits",
  description:
    "Get a card payment link (method stripe, amount 20 or 99) or a stablecoin deposit quote (method usdc, with from_address " +
    "a wallet verified over REST). Pays nothing by itself: a person or wallet pays, then credits appear.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  editions: full,
  key: "needed",
  input: Schema.Struct({ ...TopUpRequest.fields, idempotency_key }),
  output: TopUpResult,
  depth: 1,
  run: Effect.fnUntraced(function* ({ idempotency_key, ...request }, call) {
    return yield* topUp(yield* accountOf(call), request, call.baseUrl, idempotency_key)
  })
})
