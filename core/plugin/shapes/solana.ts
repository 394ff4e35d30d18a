/** Programs of Solana, read over JSON-RPC. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"
import { distinct, nonEmpty } from "./fields.ts"

/**
 * How many accounts a program owns whose data begin with these bytes (base58, an Anchor discriminator), each once. They
 * come without their data, about 200 bytes each.
 */
export const accountsOf = Effect.fnUntraced(function* (url: string, program: string, startsWith: string) {
  const options = {
    encoding: "base64",
    dataSlice: { offset: 0, length: 0 },
    filters: [{ memcmp: { offset: 0, bytes: startsWith } }]
  }
  const Accounts = nonEmpty(Schema.Struct({ pubkey: Schema.String }))
  const answer = yield* Upstream.call(url, "getProgramAccounts", [program, options], Accounts)
  return { ...answer, body: distinct(answer.body, ({ pubkey }) => pubkey).length }
})

const Sliced = Schema.Struct({
  account: Schema.Struct({ data: Schema.Tuple([Schema.NonEmptyString, Schema.String]) })
})

/**
 * How many different values a field has among a program's accounts whose data begin with these bytes (base58): how many nodes
 * among its runs. The accounts come with the bytes of that field alone.
 */
export const differentIn = Effect.fnUntraced(function* (
  url: string,
  program: string,
  startsWith: string,
  field: { readonly offset: number; readonly length: number }
) {
  const options = {
    encoding: "base64",
    dataSlice: field,
    filters: [{ memcmp: { offset: 0, bytes: startsWith } }]
  }
  const answer = yield* Upstream.call(url, "getProgramAccounts", [program, options], nonEmpty(Sliced))
  return { ...answer, body: distinct(answer.body, ({ account }) => account.data[0]).length }
})
