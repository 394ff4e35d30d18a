/** Connections to Postgres that go mute: no byte passes any more, and nobody closes them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cloneUrl } from "../support/database.ts"
import { fleet, type Member } from "../support/fleet.ts"
import { sqlOf, untilOwned } from "../support/owners.ts"
import { tcpGate } from "../support/tcpGate.ts"
import { until } from "../support/until.ts"

interface Answer {
  readonly status: number
  readonly text: string
  readonly codes: ReadonlyArray<string>
}

const answer = ({ base }: Member, path: string) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(base + path)
    const text = await response.text()
    return {
      status: response.status,
      text,
      codes: [...text.matchAll(/"code":"([a-z_]+)"/g)].map(([, code = ""]) => code)
    }
  })

/** Asks until the answer fits. */
const asks = (member: Member, path: string, fits: (answer: Answer) => boolean): Effect.Effect<Answer> =>
  Effect.repeat(Effect.delay(answer(member, path), "250 millis"), { until: fits })

/** The value of a series, as a process has it: the number of requests for it. */
const valueOf = ({ text }: Answer): number => Number(/"value":(\d+)/.exec(text)?.[1] ?? 0)
const path = "/v1/network/FIL"

describe("processes whose connections to Postgres go mute", () => {
  it.live(
    "give them up, follow and collect again, and say meanwhile what is the matter",
    () =>
      Effect.gen(function* () {
        const direct = yield* cloneUrl
        const through = Effect.gen(function* () {
          const url = new URL(direct)
          const gate = yield* tcpGate(Number(url.port))
          url.port = String(gate.port)
          return { gate, url: url.href }
        })
        const some = yield* through
        const all = yield* through
        const ships = yield* fleet(direct, { plugins: 2, every: "2 seconds" })
        const sql = yield* sqlOf(ships)
        const whole = yield* ships.join("whole")
        const partly = yield* ships.join("partly", { DATABASE_URL: some.url, ROLES: "http" })
        const wholly = yield* ships.join("wholly", { DATABASE_URL: all.url, ROLES: "http" })
        yield* untilOwned(sql, 2, [whole])
        yield* asks(wholly, path, (reply) => valueOf(reply) > 0)
        const before = valueOf(yield* asks(partly, path, (reply) => valueOf(reply) > 0))
        some.gate.mute()
        all.gate.mute({ newOnes: true })

        // The database is there for one, which is alone with its lag; the other cannot know that it is alone.
        const lag = yield* asks(partly, "/readyz", ({ status }) => status === 503)
        assert.include(lag.codes, "follower_behind")
        const away = yield* asks(wholly, "/readyz", ({ codes }) => codes.includes("database_away"))
        assert.strictEqual(away.status, 200)
        const forWrites = yield* answer(wholly, "/readyz?for=writes")
        assert.strictEqual(forWrites.status, 503)
        assert.include(forWrites.codes, "database_away")
        assert.strictEqual((yield* answer(wholly, "/health")).status, 200)
        assert.strictEqual((yield* answer(wholly, "/v1/world")).status, 200)

        yield* asks(partly, "/readyz", ({ status }) => status === 200)
        const behind = valueOf(yield* answer(wholly, path))
        yield* asks(partly, path, (reply) => valueOf(reply) > Math.max(before, behind))
        all.gate.heal()
        yield* asks(wholly, "/readyz?for=writes", ({ codes, status }) => status === 200 && codes.length === 0)
        yield* asks(wholly, path, (reply) => valueOf(reply) > behind)
        // None of them is used again.
        yield* until(() => some.gate.muted() + all.gate.muted() === 0)
        for (const member of [partly, wholly]) {
          yield* until(() => member.output().includes("holds the database's lock again"))
          assert.isNull(member.child.exitCode)
        }
      }).pipe(Effect.scoped),
    240_000
  )
})
