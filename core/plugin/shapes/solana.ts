/** Programs of Solana, read over JSON-RPC. */
import { Effect, Schema } from "effect"
import * as Upstream from "../Upstream.ts"
import { distinct } from "./fields.ts"

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
  const answer = yield* Upstream.rpc(url, [
    {
      method: "getProgramAccounts",
      params: [program, options],
      result: Schema.Array(Schema.Struct({ pubkey: Schema.String }))
    }
  ])
  return { answer, accounts: distinct(answer.body[0], ({ pubkey }) => pubkey).length }
})
