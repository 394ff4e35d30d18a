/** Damaged requests: the witness refuses each with a status of the protocol, and goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { makeLog, newWitness, post, runWitness } from "../support/witness.ts"

const statuses = [200, 400, 403, 404, 409, 422]

describe("a witness", () => {
  it.live(
    "survives any body",
    () =>
      Effect.gen(function* () {
        const log = makeLog("log.example/fuzzed")
        const { folder } = yield* newWitness([log.vkey])
        const address = yield* runWitness(folder)
        assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
        const valid = new Uint8Array(Buffer.from(log.body(5, 13)))
        const damaged = fc
          .array(
            fc.record({
              at: fc.nat(valid.length - 1),
              cut: fc.nat(40),
              put: fc.oneof(
                fc.uint8Array({ maxLength: 20 }),
                fc
                  .constantFrom("\n", "\n\n", " ", "\u2014", "0", "old ", "=", "+", "\u0000")
                  .map((text) => Buffer.from(text))
              )
            }),
            { minLength: 1, maxLength: 4 }
          )
          .map((edits) =>
            edits.reduce(
              (bytes, { at, cut, put }) =>
                Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
              Buffer.from(valid)
            )
          )
        const bodies = [...fc.sample(damaged, 400), ...fc.sample(fc.uint8Array({ maxLength: 2000 }), 100)]
        for (const body of bodies) {
          const response = yield* post(address, new Uint8Array(body))
          assert.include(statuses, response.status)
          assert.notMatch(response.text, /\n\s+at |Error:|node:/)
          // Only the untouched request may be signed: what it says is covered by the log's signature or by the proof.
          if (response.status === 200) assert.include(Buffer.from(body).toString(), log.text(13))
        }
        const { status } = yield* post(address, log.body(5, 13))
        assert.include([200, 409], status)
      }),
    60_000
  )
})
