/** In a campaign: processes that share a Postgres and differ in their version or their clock, and a Postgres that restarts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Server from "../bench/postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { type Fleet, fleet, type Member, readyz } from "../support/fleet.ts"
import { ownersOf, sqlOf, storedValues, untilOwned } from "../support/owners.ts"
import { until } from "../support/until.ts"

const isCampaign = process.env["KILLS"] !== undefined

/** What a process serves of each feed: the nth answer of the stand-in says n. */
const servedBy = ({ base }: Member) =>
  Effect.promise(async () => {
    const answer = await fetch(`${base}/v1/network/FIL`)
    assert.strictEqual(answer.status, 200)
    return await answer.text()
  })

const valueOf = (answer: string, plugin: string): number =>
  Number(new RegExp(`"value":(\\d+)[^}]*"source":"${plugin}"`).exec(answer)?.[1] ?? 0)

/** Waits until each feed was asked so many times more. */
const goesOn = ({ requests }: Fleet, times: number) =>
  Effect.suspend(() => {
    const before = new Map([...requests].map(([plugin, all]) => [plugin, all.length]))
    return until(() =>
      [...requests].every(([plugin, all]) => all.length >= (before.get(plugin) ?? 0) + times)
    )
  })

describe.runIf(isCampaign)("in a campaign, processes that share a Postgres", () => {
  it.live(
    "of two versions with other plugins serve the same, store each run once, and collect all once the upgrade is over",
    () =>
      Effect.gen(function* () {
        const ships = yield* fleet(yield* cloneUrl, { plugins: 4, every: "2 seconds" })
        const sql = yield* sqlOf(ships)
        const old = yield* ships.join("old")
        yield* untilOwned(sql, 4, [old])
        // The newcomer comes first in its group, whose duty has another name in the new version.
        const next = yield* ships.upgrade("a-newcomer").join("new")
        yield* goesOn(
          { ...ships, requests: new Map([["made-up-2", ships.requests.get("made-up-2") ?? []]]) },
          0
        )
        yield* Effect.sleep("8 seconds")
        assert.isNull(old.child.exitCode)
        assert.isNull(next.child.exitCode)
        old.child.kill("SIGTERM")
        assert.strictEqual(yield* old.ended, 130)
        yield* untilOwned(sql, 5, [next])
        yield* goesOn(ships, 2)
        for (const plugin of ["a-newcomer", "made-up-0", "made-up-3"]) {
          const values = yield* storedValues(sql, plugin)
          assert.deepStrictEqual(values, [...new Set(values)], plugin)
          const last = values.at(-1) ?? 0
          yield* Effect.repeat(Effect.delay(servedBy(next), "100 millis"), {
            until: (answer) => valueOf(answer, plugin) >= last
          })
        }

        // Back again: the old version does without the plugin, and still serves what it stored.
        const back = yield* ships.join("back")
        next.child.kill("SIGTERM")
        yield* next.ended
        yield* Effect.repeat(Effect.delay(ownersOf(sql), "100 millis"), {
          until: (owners) =>
            owners.every(({ pid, plugin }) => plugin === "a-newcomer" || pid === back.child.pid)
        })
        assert.isAbove(valueOf(yield* servedBy(back), "a-newcomer"), 0)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "go on where they were when Postgres restarts, and answer meanwhile",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(Effect.promise(Server.start), ({ stop }) =>
          Effect.promise(stop)
        )
        yield* Effect.promise(() => server.createDatabase("restarted"))
        const ships = yield* fleet(`${server.url}/restarted`, { plugins: 4, every: "2 seconds" })
        const members = yield* Effect.forEach(["a", "b"], (name) => ships.join(name), { concurrency: 2 })
        const first = yield* sqlOf(ships)
        yield* untilOwned(first, 4, members)
        yield* goesOn(ships, 1)
        yield* Effect.promise(() =>
          server.restart(async () => {
            for (const { base } of members) {
              assert.strictEqual((await fetch(`${base}/v1/network/FIL`)).status, 200)
            }
          })
        )
        for (const member of members)
          yield* until(() => member.output().includes("holds the database's lock again"))
        const sql = yield* sqlOf(ships)
        yield* untilOwned(sql, 4, members)
        yield* goesOn(ships, 3)
        for (const [plugin, times] of ships.requests) {
          const expected = times.length - 1
          yield* Effect.repeat(Effect.delay(storedValues(sql, plugin), "100 millis"), {
            until: (values) => (values.at(-1) ?? 0) >= expected
          })
        }
        for (const member of members) {
          assert.isNull(member.child.exitCode)
          yield* Effect.repeat(Effect.delay(readyz(member), "100 millis"), {
            until: ({ status, warnings }) =>
              status === 200 && !warnings.some(({ code }) => code === "lock_lost")
          })
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "keep their order when one of them, whose main thread's clock is five seconds behind, takes over",
    () =>
      Effect.gen(function* () {
        const ships = yield* fleet(yield* cloneUrl, { plugins: 2, every: "2 seconds" })
        const sql = yield* sqlOf(ships)
        const ahead = yield* ships.join("ahead")
        yield* untilOwned(sql, 2, [ahead])
        yield* goesOn(ships, 2)
        const behind = yield* ships.join("behind", {
          NODE_OPTIONS: `--import=${new URL("../support/clockBehind.ts", import.meta.url).href}`
        })
        const here = yield* servedBy(ahead)
        const generated = ({ base }: Member) =>
          Effect.promise(async () => {
            const text = await (await fetch(`${base}/v1/supply`)).text()
            return Date.parse(/"generated_utc":"([^"]+)"/.exec(text)?.[1] ?? "")
          })
        const generatedAt = yield* generated(ahead)
        ahead.child.kill("SIGKILL")
        yield* untilOwned(sql, 2, [behind])
        const requestCount = ships.requests.get("made-up-0")?.length ?? 0
        // Until its clock has passed the last reading, that one stays the latest.
        let last = here
        yield* Effect.repeat(Effect.delay(servedBy(behind), "100 millis"), {
          until: (answer) => {
            assert.isAtLeast(valueOf(answer, "made-up-0"), valueOf(last, "made-up-0"))
            last = answer
            return valueOf(answer, "made-up-0") > requestCount + 1
          }
        })
        assert.isAtLeast(yield* generated(behind), generatedAt)
        // In the order of their ids, the runs are in the order in which they were made.
        const runs = yield* sql<{ value: number }>`
          select o.value from run r join observation o on o.run = r.id join series s on s.id = o.series
          where r.plugin = 'made-up-0' order by r.id`
        const values = runs.map(({ value }) => value)
        assert.deepStrictEqual(
          values,
          values.toSorted((a, b) => a - b)
        )
      }).pipe(Effect.scoped),
    300_000
  )
})
