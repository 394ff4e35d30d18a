/**
 * Cached answers against freshly made ones. Whatever happened before, the bytes that the service has ready for an address
 * are the bytes that it would make now.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { addresses, applyStep, first, type Step, start, states, step } from "../support/randomChanges.ts"
import { manifest, Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"

const day = 86_400_000

/** It says up to when it is, which may be ten seconds ago; what it tells is what would be told now. */
const upToNow = "/v1/diff?network=FIL&from=2026-09-05T00:00:00Z"

/** Networks whose last telemetry is a week old, of which one has some again. */
const afterLong: ReadonlyArray<Step> = [
  { kind: "wait", ms: 8 * day },
  { kind: "read", symbol: "FIL", hoursAgo: 1, value: 2 },
  { kind: "read", symbol: "FIL", hoursAgo: 0, value: 3 }
]

layer(Service.layer({ manifests: [manifest], states: Effect.sync(() => states) }))("cached answers", (it) => {
  it.effect(
    "are those that would be made now, after any sequence of changes",
    () =>
      Effect.gen(function* () {
        const service = yield* Service
        yield* TestClock.setTime(start)
        // A request with this header is never answered from the cache.
        const anew = { "content-encoding": "identity" }
        const kinds = fc
          .sample(fc.array(step, { minLength: 12, maxLength: 12 }), { numRuns: 4, seed: 11 })
          .flat()
        for (const [n, one] of [...first, ...kinds, ...afterLong].entries()) {
          yield* applyStep(one)
          for (const path of addresses) {
            const cached = yield* service.call(path)
            const fresh = yield* service.call({ path, headers: anew })
            const about = `${path} after step ${n}: ${JSON.stringify(one)}`
            assert.strictEqual(cached.status, fresh.status, about)
            assert.strictEqual(cached.body.toString("utf8"), fresh.body.toString("utf8"), about)
            assert.strictEqual(header(cached, "etag"), header(fresh, "etag"), about)
            assert.strictEqual(header(cached, "cache-control"), header(fresh, "cache-control"), about)
          }
          const cached = json(yield* service.call(upToNow))
          const fresh = json(yield* service.call({ path: upToNow, headers: anew }))
          assert.isArray(fresh["differences"])
          assert.deepStrictEqual(
            cached["differences"],
            fresh["differences"],
            `step ${n}: ${JSON.stringify(one)}`
          )
        }
      }),
    120_000
  )
})
