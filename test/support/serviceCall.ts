/** One call of the service under test, whose answer must bear both of its signatures, or none if it states no datum. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { authority, Service } from "./service.ts"
import { type Call, signatureFault } from "./signed.ts"

export const ask = Effect.fnUntraced(function* (call: Call | string) {
  const service = yield* Service
  const reply = yield* service.call(call)
  assert.isUndefined(signatureFault(reply, service.keys, authority), reply.path)
  return reply
})
