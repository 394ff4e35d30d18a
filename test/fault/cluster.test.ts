/** Several processes on one Postgres do the work of one, whichever of them ends, and however. */
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cloneUrl } from "../support/database.ts"
import { type Fleet, fleet, type Member, readyz } from "../support/fleet.ts"
import { ownersOf, sqlOf, storedValues, untilOwned } from "../support/owners.ts"
import { until } from "../support/until.ts"

/** What takes longer runs in a campaign (`npm run campaign`). */
const isCampaign = process.env["KILLS"] !== undefined

const countOf = ({ requests }: Fleet): number => [...requests.values()].flat().length

describe("processes that share a Postgres", () => {
  it.live(
    "ask upstreams as often as one process, and take over from one that is killed or told to stop",
    () =>
      Effect.gen(function* () {
        const plugins = 8
        const every = 2000
        const ships = yield* fleet(yield* cloneUrl, { plugins, every: `${every} millis` })
        const sql = yield* sqlOf(ships)
        const [a, b, c] = yield* Effect.forEach(["a", "b", "c"], (name) => ships.join(name), {
          concurrency: 3
        })
        assert.isDefined(a)
        assert.isDefined(b)
        assert.isDefined(c)
        yield* untilOwned(sql, plugins, [a, b, c])
        const before = new Map([...ships.requests].map(([plugin, times]) => [plugin, times.length]))
        const begin = Date.now()
        const counts = () =>
          [...ships.requests].map(([plugin, times]) => times.length - (before.get(plugin) ?? 0))
        yield* Effect.sleep(3 * every)
        yield* until(() => Math.min(...counts()) > 0)
        // One owner asks once in each interval, two would ask twice.
        assert.isAtMost(Math.max(...counts()), (Date.now() - begin) / every + 2)

        // The one with the most feeds, so that there is something to take over.
        const pids = (yield* ownersOf(sql)).map(({ pid }) => pid)
        const [first, ...others] = [a, b, c].toSorted(
          (one, other) =>
            pids.filter((pid) => pid === other.child.pid).length -
            pids.filter((pid) => pid === one.child.pid).length
        )
        assert.isDefined(first)
        first.child.kill("SIGKILL")
        yield* untilOwned(sql, plugins, others)

        const [second, third] = others
        assert.isDefined(second)
        assert.isDefined(third)
        const countsBefore = new Map([...ships.requests].map(([plugin, times]) => [plugin, times.length]))
        second.child.kill("SIGTERM")
        const { reasons } = yield* Effect.repeat(readyz(second), { until: ({ status }) => status === 503 })
        assert.deepStrictEqual(
          reasons.map(({ code }) => code),
          ["stopping"]
        )
        yield* untilOwned(sql, plugins, [third])
        assert.strictEqual(yield* second.ended, 130)
        const countBefore = countOf(ships)
        yield* until(() => countOf(ships) > countBefore + plugins)
        third.child.kill("SIGTERM")
        yield* third.ended
        // A planned stop is no fault: nothing is lost and nobody has to act.
        for (const { output } of [second, third])
          assert.deepStrictEqual(
            output()
              .split("\n")
              .filter((line) => / (ERROR|FATAL) /.test(line)),
            []
          )

        // A process that is told to stop finishes its runs: each answer since then is stored.
        for (const [plugin, times] of ships.requests) {
          const stored = new Set(yield* storedValues(sql, plugin))
          const since = Array.from({ length: times.length }, (_, n) => n + 1).slice(countsBefore.get(plugin))
          assert.deepStrictEqual(
            since.filter((n) => !stored.has(n)),
            [],
            plugin
          )
        }
      }).pipe(Effect.scoped),
    180_000
  )
})

if (isCampaign) {
  describe("in a campaign, processes that share a Postgres", () => {
    it.live(
      "refuse what a process that was frozen for longer than its locks last still has to say",
      () =>
        Effect.gen(function* () {
          const ships = yield* fleet(yield* cloneUrl, { plugins: 2, every: "2 seconds" })
          const sql = yield* sqlOf(ships)
          const frozen = yield* ships.join("frozen")
          yield* untilOwned(sql, 2, [frozen])
          const release = ships.hold("made-up-0")
          const before = ships.requests.get("made-up-0")?.length ?? 0
          yield* until(() => (ships.requests.get("made-up-0")?.length ?? 0) > before)
          const other = yield* ships.join("other")
          frozen.child.kill("SIGSTOP")
          yield* untilOwned(sql, 2, [other])
          release()
          const stale = ships.requests.get("made-up-0")?.length ?? 0
          frozen.child.kill("SIGCONT")
          yield* until(() => frozen.output().includes("dropped a run"))
          yield* until(() => (ships.requests.get("made-up-0")?.length ?? 0) > stale)
          assert.notInclude(yield* storedValues(sql, "made-up-0"), before + 1)
        }).pipe(Effect.scoped),
      180_000
    )

    it.live(
      "lose no answer, no run and no purchase when they are restarted one after the other under load",
      () =>
        Effect.gen(function* () {
          const plugins = 6
          const ships = yield* fleet(yield* cloneUrl, { plugins, every: "2 seconds" })
          const sql = yield* sqlOf(ships)
          const names = ["a", "b", "c"]
          const more = { STARTER_CREDITS: "1000" }
          let members = yield* Effect.forEach(names, (name) => ships.join(name, more), { concurrency: 3 })
          yield* untilOwned(sql, plugins, members)
          const load = yield* loaded(() => members)
          for (const [n, name] of names.entries()) {
            const before = members[n]
            assert.isDefined(before)
            const next = yield* ships.join(`${name}2`, more)
            members = members.with(n, next)
            before.child.kill("SIGTERM")
            assert.strictEqual(yield* before.ended, 130)
          }
          const { answered, bought, lost } = yield* load.stop
          assert.deepStrictEqual(lost, [])
          assert.isAbove(answered, 100)
          assert.isAbove(bought, 5)
          assert.deepStrictEqual(yield* sql`select count(*)::int as n from purchase`, [{ n: bought }])
          yield* untilOwned(sql, plugins, members)
          // What is under way now may still be unstored.
          const counts = [...ships.requests].map(([plugin, times]) => [plugin, times.length - 1] as const)
          for (const [plugin, last] of counts) {
            const stored = yield* Effect.repeat(Effect.delay(storedValues(sql, plugin), "100 millis"), {
              until: (values) => (values.at(-1) ?? 0) >= last
            })
            const missing = Array.from({ length: last }, (_, n) => n + 1).filter((n) => !stored.includes(n))
            assert.deepStrictEqual(missing, [], plugin)
          }
        }).pipe(Effect.scoped),
      400_000
    )

    it.live(
      "go on when Postgres ends all of their sessions",
      () =>
        Effect.gen(function* () {
          const ships = yield* fleet(yield* cloneUrl, { plugins: 4, every: "2 seconds" })
          const sql = yield* sqlOf(ships)
          const members = yield* Effect.forEach(["a", "b"], (name) => ships.join(name), { concurrency: 2 })
          yield* untilOwned(sql, 4, members)
          yield* sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`
          for (const member of members)
            yield* until(() => member.output().includes("holds the database's lock again"))
          const before = new Map([...ships.requests].map(([plugin, times]) => [plugin, times.length]))
          yield* until(() =>
            [...ships.requests].every(([plugin, times]) => times.length > (before.get(plugin) ?? 0) + 2)
          )
          for (const { child } of members) assert.isNull(child.exitCode)
          for (const [plugin, times] of ships.requests) {
            yield* Effect.repeat(Effect.delay(storedValues(sql, plugin), "100 millis"), {
              until: (values) => (values.at(-1) ?? 0) >= times.length - 1
            })
          }
        }).pipe(Effect.scoped),
      180_000
    )
  })
}

/** Readers and buyers behind a load balancer that asks `/readyz` of every process four times a second. */
const loaded = Effect.fnUntraced(function* (membersNow: () => ReadonlyArray<Member>) {
  const lost: Array<string> = []
  let answered = 0
  let bought = 0
  let turn = 0
  let stopped = false
  let ready: ReadonlyArray<Member> = membersNow()
  const agents = new Map<Member, Agent>()
  const ask = (member: Member, path: string, body?: object, key?: string) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const agent = agents.get(member) ?? new Agent({ keepAlive: true })
      agents.set(member, agent)
      const outgoing = request(
        member.base + path,
        {
          agent,
          method: body === undefined ? "GET" : "POST",
          headers: {
            ...(body === undefined
              ? {}
              : { "content-type": "application/json", "idempotency-key": randomUUID() }),
            ...(key === undefined ? {} : { "x-api-key": key })
          }
        },
        (answer) => {
          let text = ""
          answer.on("data", (part) => {
            text += String(part)
          })
          answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text }))
          answer.once("error", reject)
        }
      )
      outgoing.once("error", reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const balance = async (): Promise<void> => {
    while (!stopped) {
      const readyMembers: Array<Member> = []
      for (const member of membersNow()) {
        const status = await ask(member, "/readyz").then(
          (answer) => answer.status,
          () => 0
        )
        if (status === 200) readyMembers.push(member)
      }
      ready = readyMembers
      await pause(250)
    }
  }
  const key = String(
    JSON.parse((yield* Effect.promise(() => ask(membersNow()[0] as Member, "/v1/credits/register", {}))).text)
      .api_key
  )
  const client = async (buys: boolean): Promise<void> => {
    while (!stopped) {
      const member = ready[turn++ % ready.length]
      if (member === undefined) {
        lost.push("no process is ready")
        return
      }
      const response = buys
        ? ask(member, "/v1/credits/purchase", { product_key: "depin_networks" }, key)
        : ask(member, "/v1/network/FIL")
      const outcome = await response.then(
        ({ status, text }) => (status === 200 ? undefined : `${status} ${text}`),
        (error: Error) => error.message
      )
      if (outcome !== undefined) lost.push(`${member.base}: ${outcome}`)
      else if (buys) bought++
      else answered++
      await pause(buys ? 500 : 50)
    }
  }
  const running = Promise.all([balance(), client(false), client(false), client(true)])
  return {
    stop: Effect.promise(async () => {
      stopped = true
      await running
      for (const agent of agents.values()) agent.destroy()
      return { answered, bought, lost }
    })
  }
})
