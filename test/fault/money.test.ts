import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { cloneUrl } from "../support/database.ts"
import { services, step } from "./buyer.ts"

type Environment = Readonly<Record<string, string>>

/** Kills per engine; `KILLS` makes a campaign of it. */
const kills = Number(process.env["KILLS"] ?? 20)

/** Lets a buyer work from a step on and kills it somewhere. Gives what it said. */
const untilKilled = async (environment: Environment, first: number) => {
  const child = spawn(process.execPath, [new URL("buyer.ts", import.meta.url).pathname, String(first)], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  const last = first + randomInt(4, 40)
  const done = new Map<number, string>()
  let begun = first
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, n, purchase = ""] = line.split(" ")
    if (word === "done") done.set(Number(n), purchase)
    if (word !== "begins") continue
    begun = Math.max(begun, Number(n))
    if (Number(n) === last) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 12))
  }
  return { done, begun, signal: await ended }
}

const examine = Effect.fnUntraced(function* (done: ReadonlyMap<number, string>, cut: ReadonlySet<number>) {
  const sql = yield* SqlClient.SqlClient
  const report = yield* (yield* Ledger).check
  assert.deepStrictEqual(report.problems, [])

  const purchases = yield* sql<{
    id: string
    step: string
    bytes: Uint8Array | null
    payload_sha256: string
    charged: bigint | null
  }>`
    select p.id, p.idempotency_key as step, p.payload_sha256, y.bytes,
      (select -e.amount from posting g join ledger_entry e on e.posting = g.id and e.account like 'credits:%'
        where g.key = 'purchase:' || p.id) as charged
    from purchase p left join payload y on y.sha256 = p.payload_sha256`
  const byStep = new Map(purchases.map((purchase) => [Number(purchase.step), purchase]))
  assert.strictEqual(byStep.size, purchases.length, "a step bought once")
  for (const [n, id] of done) {
    if (id !== "-")
      assert.strictEqual(byStep.get(n)?.id, id, `the purchase of step ${n}, which was acknowledged`)
  }
  for (const { bytes, charged, id, payload_sha256 } of purchases) {
    assert.strictEqual(charged, 490_000n, `${id} was charged`)
    assert.strictEqual(sha256(bytes ?? new Uint8Array()), payload_sha256, `${id} has its payload`)
  }
  const [postings] = yield* sql<{
    n: number
  }>`select count(*)::int as n from posting where cause = 'purchase'`
  assert.strictEqual(postings?.n, purchases.length, "no charge without its purchase")

  // A step whose answer was lost is asked again: what was bought then is given now, and nothing is charged.
  for (const n of cut) {
    const before = byStep.get(n)
    if (before === undefined) continue
    assert.strictEqual(yield* step(n), before.id)
  }
  assert.isTrue((yield* (yield* Ledger).check).ok)
})

const survives = Effect.fnUntraced(function* (environment: Environment) {
  const done = new Map<number, string>()
  const cut = new Set<number>()
  let next = 1
  for (let round = 0; round < kills; round++) {
    const said = yield* Effect.promise(() => untilKilled(environment, next))
    assert.strictEqual(said.signal, "SIGKILL", "it went on until it was killed")
    for (const [n, purchase] of said.done) done.set(n, purchase)
    for (let n = next; n <= said.begun; n++) if (!said.done.has(n)) cut.add(n)
    next = said.begun + 1
  }
  assert.isNotEmpty([...done.values()].filter((purchase) => purchase !== "-"))
  yield* examine(done, cut).pipe(
    Effect.provide(services),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )
})

describe.concurrent(`money is exact after ${kills} kills: no charge without its payload, none twice, none lost`, () => {
  it.live(
    "embedded",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-money-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        yield* survives({ DATA_DIR: folder })
      }),
    kills * 15_000
  )

  it.live(
    "Postgres",
    () =>
      Effect.gen(function* () {
        yield* survives({
          DATABASE_URL: yield* cloneUrl,
          SIGNING_KEY_FILE: "unused",
          SERVER_SECRET_FILE: "unused"
        })
      }),
    kills * 15_000
  )
})
