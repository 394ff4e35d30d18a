/**
 * `/.well-known/x402`: the addresses that sell by x402, as scanners read them: `version` 1 and `resources`, one URL for each
 * address that takes GET. What each costs is in the offer that it gives, and at `/x402` for all of them.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Listed, X402 } from "../../../core/credits/x402/X402.ts"
import { methodOf } from "../../../core/wire/credits/reads.ts"
import { HttpSettings } from "../../HttpSettings.ts"

const isSold = ({ offer }: Listed): boolean => offer !== undefined

const takesGet = ({ key }: Listed): boolean => methodOf(key) === "GET"

/** An address that can be called as it stands, of one with a place for a symbol. */
const example = (path: string): string => path.replace("{symbol}", "FIL")

/** What cannot be paid for now is left out. */
export const x402List = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const x402 = yield* X402
  const sold = [...(yield* x402.reads(baseUrl)), ...(yield* x402.list(baseUrl))].filter(
    (one) => isSold(one) && takesGet(one)
  )
  return HttpServerResponse.jsonUnsafe({
    version: 1,
    resources: sold.map(({ path }) => `${baseUrl}${example(path)}`),
    instructions:
      `Each address answers GET with 402 and its offer. ${baseUrl}/x402 lists prices and what each sells, ` +
      `${baseUrl}/x402/openapi.json describes parameters and answers, ${baseUrl}/.well-known/payee.json says who is paid.`
  })
})
