/** The key of the log in the name service: what `plumbline doctor` says of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keyRecordFinding } from "../../runtime/doctor/keyRecord.ts"

const kid = "pMKdvrdjIaAGy8-Hs94gux5lGkcF4wkCF7qtStB3YVg"
const host = "data.plumbline.net"

const findings = (texts: ReadonlyArray<string>) =>
  keyRecordFinding(host, kid, (name) => {
    assert.strictEqual(name, "_plumbline.data.plumbline.net")
    return Effect.succeed(texts)
  })

describe("the record of the key", () => {
  it.effect("is right, missing, of another key, or could not be looked up", () =>
    Effect.gen(function* () {
      const [right] = yield* findings(["v=other", `plumbline-log-key=${kid}`])
      assert.deepInclude(right, { check: "keys", state: "ok" })
      for (const texts of [[], ["v=other"], ["plumbline-log-key=another"]]) {
        const [wrong] = yield* findings(texts)
        assert.strictEqual(wrong?.state, "warn", texts.join())
        assert.include(wrong?.action, `add the TXT record _plumbline.${host}`)
        assert.include(wrong?.action, `"plumbline-log-key=${kid}"`)
        // No advice that destroys: what is there stays.
        assert.notMatch(wrong?.action ?? "", /remove|delete|replace/)
      }
      const [away] = yield* keyRecordFinding(host, kid, () => Effect.fail("ETIMEOUT"))
      assert.deepInclude(away, { state: "skip" })
    })
  )

  it.effect("says nothing of a service that only this machine knows, or without a key", () =>
    Effect.gen(function* () {
      const lookUp = () => Effect.die("was asked")
      for (const host of ["localhost", "127.0.0.1", "plumbline.test", "::1"])
        assert.deepStrictEqual(yield* keyRecordFinding(host, kid, lookUp), [])
      assert.deepStrictEqual(yield* keyRecordFinding(host, undefined, lookUp), [])
    })
  )
})
