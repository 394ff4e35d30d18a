/** One call of the service under test, whose answer must bear both of its signatures. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { authority, Service } from "./service.ts"
import { type Call, messageFault, statementFault } from "./signed.ts"

export const ask = Effect.fnUntraced(function* (call: Call | string) {
  const service = yield* Service
  const reply = yield* service.call(call)
  assert.isUndefined(statementFault(reply, service.keys.current), reply.path)
  assert.isUndefined(messageFault(reply, service.keys, authority), reply.path)
  return reply
})
