import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { idOf, sizeOf } from "./content.ts"
import { services } from "./ingester.ts"

type Environment = Readonly<Record<string, string>>

/** Runs the ingester from a run on and kills it at some moment of some run. Gives what it said. */
const untilKilled = async (environment: Environment, first: number) => {
  const child: ChildProcess = spawn(
    process.execPath,
    [new URL("ingester.ts", import.meta.url).pathname, String(first)],
    // Nothing else of this process's environment, in which the test runner has names of its own.
    { env: { ...environment, ...compiled }, stdio: ["ignore", "pipe", "inherit"] }
  )
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  const last = first + randomInt(1, 6)
  const acknowledged: Array<number> = []
  let begun = first - 1
  if (child.stdout === null) throw new Error("no output")
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, n] = line.split(" ")
    if (word === "kept") acknowledged.push(Number(n))
    if (word !== "begins") continue
    begun = Number(n)
    // The moment of the kill is what the test is about: anywhere in the run, or a little after it.
    if (begun === last) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 250))
  }
  return { acknowledged, begun, signal: await ended }
}

const examine = Effect.fnUntraced(function* (acknowledged: ReadonlyArray<number>, begun: number) {
  yield* (yield* Ingest).recover("testnet")
  const sql = yield* SqlClient.SqlClient
  const runs = yield* sql<{ id: string; complete: boolean; rows: number }>`
    select id, complete, (select count(*)::int from observation o where o.run = r.id) as rows from run r order by id`
  const there = new Set(runs.map(({ id }) => id))
  assert.deepStrictEqual(
    acknowledged.filter((n) => !there.has(idOf(n))),
    [],
    "acknowledged runs are there"
  )
  assert.deepStrictEqual(
    runs.filter(({ id, rows }) => rows !== sizeOf(Number(id.slice(4)))),
    [],
    "a run is there whole"
  )
  assert.isTrue(runs.every(({ complete }) => complete))
  assert.isAtMost(runs.length, begun + 1)
  assert.deepStrictEqual(
    yield* sql`select count(*)::int as n, max(version) as version from observation`,
    [{ n: runs.reduce((sum, { rows }) => sum + rows, 0), version: 1 }],
    "nothing is there twice"
  )
  assert.deepStrictEqual(
    yield* sql`
      select d.series, d.day::text, d.n_observations, d.value, o.n, o.value as last
      from daily d full join (
        select series, (as_of at time zone 'UTC')::date as day, count(*)::int as n,
          (array_agg(value order by as_of desc))[1] as value from observation group by 1, 2
      ) o on o.series = d.series and o.day = d.day
      where d.n_observations is distinct from o.n or d.value is distinct from o.value`,
    [],
    "days agree with their readings"
  )
  assert.deepStrictEqual(
    yield* sql`
      select l.series from latest l full join (
        select distinct on (series) series, as_of, value from observation order by series, as_of desc
      ) o on o.series = l.series where l.value is distinct from o.value or l.as_of is distinct from o.as_of`,
    [],
    "latest rows agree with the readings"
  )
  const blobs = yield* Blobs
  for (const { sha256 } of yield* sql<{ sha256: string }>`select distinct sha256 from exchange`) {
    assert.isTrue(Option.isSome(yield* blobs.get(sha256)), `the body ${sha256} is there`)
  }
  assert.deepStrictEqual(yield* sql`select run from unfinished`, [])
  assert.deepStrictEqual(
    yield* sql`select rows::int from rows_read`,
    [{ rows: runs.reduce((sum, { rows }) => sum + rows, 0) }],
    "rows are counted once"
  )
})

/** Kills per engine; `KILLS` makes a campaign of it. */
const kills = Number(process.env["KILLS"] ?? 3)

const survives = Effect.fnUntraced(function* (environment: Environment) {
  const acknowledged: Array<number> = []
  let begun = -1
  for (let n = 0; n < kills; n++) {
    const outcome = yield* Effect.promise(() => untilKilled(environment, begun + 1))
    assert.strictEqual(outcome.signal, "SIGKILL", "it went on until it was killed")
    acknowledged.push(...outcome.acknowledged)
    begun = outcome.begun
  }
  assert.isNotEmpty(acknowledged)
  yield* examine(acknowledged, begun).pipe(
    Effect.provide(services),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )
})

describe("a process killed while it keeps runs loses nothing that it acknowledged and doubles nothing", () => {
  it.live(
    "embedded",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-fault-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        prepare(folder)
        yield* survives({ DATA_DIR: folder })
      }),
    60_000 + kills * 15_000
  )

  it.live(
    "Postgres",
    () =>
      Effect.gen(function* () {
        yield* survives({
          DATABASE_URL: yield* cloneUrl,
          SIGNING_KEY_FILE: "unused",
          LOG_KEY_FILE: "unused",
          SERVER_SECRET_FILE: "unused"
        })
      }),
    60_000 + kills * 15_000
  )
})
