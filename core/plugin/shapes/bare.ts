/** Addresses whose answer is a single number. */
import { Effect } from "effect"
import { decimalText } from "../decimals.ts"
import * as Upstream from "../Upstream.ts"

/**
 * The number as text, bare or in quotes; anything else is a changed answer, and so is 0: nothing beside it tells a
 * measured one from a broken one. `{name}` in an address is as in `Upstream.filled`.
 */
export const bareNumber = Effect.fnUntraced(function* (address: string) {
  const answer = yield* Upstream.text(yield* Upstream.filled(address))
  const number = decimalText(answer.body.trim().replace(/^"(.*)"$/, "$1"))
  if (number === undefined || Number(number) === 0) {
    return yield* Upstream.implausible(
      answer,
      "",
      `not a bare number above 0: ${JSON.stringify(answer.body.slice(0, 60))}`
    )
  }
  return { ...answer, body: number }
})
