/** `plumbline verify monitor` over a running service: what one look costs, what it remembers, and forks and copies. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { cosignerOf } from "../../core/proof/cosignature.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { inFolder } from "../../http/client/verifier/src/folder.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import { parseState } from "../../http/client/verifier/src/monitor/state.ts"
import { type Monitoring, type MonitorOptions, monitor } from "../../http/client/verifier/src/monitor.ts"
import { captureLog } from "../support/captureLog.ts"
import { client, monitorOnce } from "../support/monitorOnce.ts"
import { plumbline } from "../support/plumbline.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"

const at = (day: number, hour = 8) => Date.UTC(2026, 8, day, hour)

const readings = (day: string, value: number) =>
  ["FIL", "GEOD"].map((symbol) =>
    Runs.row(value, `2026-09-${day}T01:00:00Z`, {
      symbol,
      metric: "active_storage_providers",
      source: "made-up"
    })
  )

const incidentRows = rowsOf({ kind: Schema.String, symbol: Schema.String, reason: Schema.String })

/** Closes the days up to the one before `day`. */
const closed = Effect.fnUntraced(function* (day: number, of: ReadonlyArray<readonly [string, number]>) {
  const ingest = yield* Ingest
  const close = yield* DailyClose
  yield* TestClock.setTime(at(day))
  yield* ingest.write(
    Runs.delivery(
      at(day, 7),
      of.flatMap(([name, value]) => readings(name, value)),
      "made-up"
    )
  )
  yield* close.run
})

const quiet = {
  print: () => undefined,
  progress: () => undefined,
  now: () => at(7),
  wait: () => Promise.resolve(),
  signal: new AbortController().signal
}

const newFolder = () => mkdtempSync(join(tmpdir(), "plumbline-mirror-"))

layer(Service.layer())("a monitor", (it) => {
  const first = closed(4, [
    ["02", 100],
    ["03", 200]
  ])
  const kid = Effect.gen(function* () {
    const { call } = yield* Service
    const document = json(yield* call("/.well-known/service-signing-key.json")) as {
      readonly keys: ReadonlyArray<{ readonly kid: string; readonly purpose: string }>
    }
    return document.keys.find(({ purpose }) => purpose === "log")?.kid ?? ""
  })

  it.effect("looks at all once, and later only at what is new", () =>
    Effect.gen(function* () {
      yield* first
      const one = yield* monitorOnce(at(4), undefined, { trust: { pins: [yield* kid] } })
      assert.deepStrictEqual([one.findings, one.unproved], [[], []])
      assert.strictEqual(one.counts.batches, 2)
      assert.deepInclude(one.counts, { networks: 2, proofs: 2 })
      assert.deepStrictEqual(parseState(JSON.stringify(one.state)), one.state)

      yield* closed(5, [["04", 300]])
      const two = yield* monitorOnce(at(5), one.state)
      // The key is remembered, and nobody has to give it again.
      assert.deepStrictEqual([two.findings, two.unproved], [[], []])
      assert.strictEqual(two.counts.batches, 1)
      const leaves = two.paths.filter((path) => path.endsWith("/leaves"))
      // What the last day's batch has is expected of the new one.
      assert.deepStrictEqual(leaves, [
        "/v1/log/batches/2026-09-03/leaves",
        "/v1/log/batches/2026-09-04/leaves"
      ])
      const again = yield* monitorOnce(at(5, 9), two.state)
      assert.deepStrictEqual([again.findings, again.counts.entries], [[], 0])
    })
  )

  it.effect(
    "says that nobody vouches for a key that it meets first, and refuses another than the given one",
    () =>
      Effect.gen(function* () {
        yield* first
        const alone = yield* monitorOnce(at(5))
        assert.deepStrictEqual(alone.findings, [])
        assert.match(alone.unproved.join(), /nobody vouches for key/)
        const other = yield* monitorOnce(at(5), undefined, { trust: { pins: ["another"] } })
        assert.deepInclude(other.findings[0], { what: "operator's key" })
      })
  )

  it.effect("finds that the batch of a day is missing after the promised time", () =>
    Effect.gen(function* () {
      yield* first
      const earlierState = (yield* monitorOnce(at(5))).state
      const missing = (yield* monitorOnce(at(6, 10), earlierState)).findings
      assert.deepInclude(missing[0], { what: "promise", found: "the newest is of 2026-09-04" })
    })
  )

  it.effect("shows both heads of a fork, and keeps them as evidence", () =>
    Effect.gen(function* () {
      yield* first
      const earlierState = (yield* monitorOnce(at(5))).state
      assert.isDefined(earlierState)
      // A head of the same size with another root, as another history would have.
      const lines = earlierState?.checkpoint.split("\n") ?? []
      const other = { ...earlierState, checkpoint: lines.with(2, `${"A".repeat(43)}=`).join("\n") }
      const { findings, state } = yield* monitorOnce(at(5), other as typeof earlierState)
      assert.strictEqual(findings[0]?.what, "fork")
      assert.include(findings[0]?.expected, `${"A".repeat(43)}=`)
      assert.include(findings[0]?.found, earlierState?.checkpoint)
      assert.deepStrictEqual(
        state?.forks.map((fork) => [fork.kept, fork.served]),
        [[other.checkpoint, earlierState?.checkpoint]]
      )
    })
  )

  it.effect("takes a change that the next batch will publish for what it is, until that batch is there", () =>
    Effect.gen(function* () {
      yield* first
      const ingest = yield* Ingest
      const earlierState = (yield* monitorOnce(at(5))).state
      yield* TestClock.setTime(at(5, 9))
      // A late reading of the closed day.
      const late = Runs.row(333, "2026-09-04T05:00:00Z", {
        symbol: "FIL",
        metric: "active_storage_providers",
        source: "made-up"
      })
      yield* ingest.write(Runs.delivery(at(5, 9), [late], "made-up"))
      const doubted = yield* monitorOnce(at(5, 10))
      assert.deepStrictEqual(doubted.findings, [])
      assert.strictEqual(doubted.state?.doubts.length, 1)
      assert.deepStrictEqual((yield* monitorOnce(at(5, 10), earlierState)).findings, [])
      // The same change without a batch that publishes it is found.
      const later = {
        ...doubted.state,
        doubts: doubted.state?.doubts.map((one) => ({ ...one, closed: "2026-09-03" }))
      }
      const outcome = yield* monitorOnce(at(5, 11), later as typeof earlierState)
      assert.deepInclude(outcome.findings[0], {
        what: "history",
        expected: "300, as in the leaf",
        found: "333"
      })
      yield* closed(6, [["05", 400]])
      const resolved = yield* monitorOnce(at(6), doubted.state)
      assert.deepStrictEqual([resolved.findings, resolved.state?.doubts], [[], []])
    })
  )

  it.effect("reads a copy that was mirrored in two steps, and finds what was altered in it", () =>
    Effect.gen(function* () {
      yield* first
      const { get, paths } = yield* client
      const folder = newFolder()
      const options = {
        trust: { pins: [yield* kid] },
        now: () => at(6),
        random: () => 0,
        say: () => undefined
      }
      const copy = Effect.promise(() => mirror(served(get, baseUrl), folder, options))
      assert.deepStrictEqual((yield* copy).findings, [])
      const all = paths.length
      yield* closed(7, [["06", 500]])
      assert.deepStrictEqual((yield* copy).findings, [])
      const more = paths.slice(all).flatMap((path) => /batches\/([^/]+)\//.exec(path)?.[1] ?? [])
      assert.include(more, "2026-09-06")
      assert.notInclude(more, "2026-09-04")
      const names = readdirSync(folder, { recursive: true }).map(String)
      assert.include(names, "v1/log/checkpoint")
      assert.include(names, ".well-known/service-signing-key.json")
      assert.deepStrictEqual(
        names.filter((name) => name.endsWith(".part")),
        []
      )
      const { call } = yield* Service
      for (const path of [
        "/v1/log/checkpoint",
        "/v1/log/checkpoints/2",
        "/v1/log/batches/2026-09-06/leaves"
      ]) {
        const bytes = (yield* call(path)).body
        assert.deepStrictEqual(readFileSync(join(folder, path)), bytes, path)
      }
      const look = monitorOnce(at(7), undefined, { source: inFolder(folder), trust: { pins: [yield* kid] } })
      const whole = yield* look
      assert.deepStrictEqual(whole.findings, [])
      assert.strictEqual(whole.counts.size, whole.counts.entries)
      const file = join(folder, "v1/log/batches/2026-09-03/leaves")
      writeFileSync(file, readFileSync(file, "utf8").replace('"value":200', '"value":201'))
      assert.deepInclude((yield* look).findings[0], { what: "leaves", where: "batch 2026-09-03" })
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("ends with 0, 1 or 2, in words and as JSON, and keeps its state in a file", () =>
    Effect.gen(function* () {
      yield* closed(7, [["06", 500]])
      const { get } = yield* client
      const folder = newFolder()
      const state = join(folder, "state.json")
      const watch = (options: Partial<MonitorOptions>, over: Partial<Monitoring> = {}) =>
        Effect.promise(async () => {
          const lines: Array<string> = []
          const exit = await monitor(
            { url: `${baseUrl}/`, state, logOnly: false, json: false, trust: {}, ...options },
            {
              print: (line) => lines.push(line),
              progress: () => undefined,
              get,
              now: () => at(7),
              wait: () => Promise.resolve(),
              signal: new AbortController().signal,
              ...over
            }
          )
          return { exit, text: lines.join("\n") }
        })
      const alone = yield* watch({})
      assert.strictEqual(alone.exit, 2, alone.text)
      assert.match(alone.text, /not proved {2}operator's key: nobody vouches/)
      // The key of the first look is remembered.
      const again = yield* watch({ json: true })
      assert.strictEqual(again.exit, 0)
      const { counts, verdict } = JSON.parse(again.text)
      assert.deepStrictEqual([verdict, counts.entries], ["nothing found", 0])
      const pinned = { trust: { pins: ["another"] } }
      assert.strictEqual((yield* watch(pinned)).exit, 1)
      const waited: Array<number> = []
      const away = yield* watch(
        {},
        {
          get: () => Promise.reject(new Error("no response")),
          wait: async (ms) => {
            waited.push(ms)
          }
        }
      )
      assert.deepStrictEqual([away.exit, /could not look/.test(away.text)], [2, true])
      assert.deepStrictEqual(waited, [2_000, 4_000, 8_000])
      const neither = yield* Effect.flip(
        Effect.tryPromise(() => monitor({ logOnly: false, json: false, trust: {} }, { ...quiet, get }))
      )
      assert.include(String(neither.cause), "give either --url or --dir")
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("finds that a leaf is excluded by an incident that is not in the log", () =>
    Effect.gen(function* () {
      yield* closed(7, [["06", 500]])
      const incidents = yield* Incidents
      const ingest = yield* Ingest
      yield* TestClock.setTime(at(8, 7))
      yield* ingest.write(Runs.delivery(at(8, 6), readings("07", 600), "made-up"))
      const [from, to] = [Date.UTC(2026, 8, 7), Date.UTC(2026, 8, 7, 23)]
      const range = { symbol: "GEOD", metric: "active_storage_providers", from, to }
      const incident = yield* incidents.open(range, "a test")
      yield* closed(8, [])
      const whole = yield* monitorOnce(at(8))
      assert.deepStrictEqual([whole.findings, whole.state?.incidents], [[], [incident]])
      const { get } = yield* client
      const source = served(get, baseUrl)
      const without = {
        name: source.name,
        read: async (path: string) => (path.includes("/documents/") ? undefined : source.read(path))
      }
      const { findings } = yield* monitorOnce(at(8), undefined, { source: without })
      assert.deepStrictEqual(
        findings.map(({ what, where }) => [what, where.split(" ")[0]]),
        [
          ["document", "keys"],
          ["document", "incidents"],
          ["incident", "batch"]
        ]
      )
      yield* incidents.close(incident, "a test")
    })
  )

  it.effect("says which witnesses are missing", () =>
    Effect.gen(function* () {
      yield* closed(8, [])
      const witness = cosignerOf("witness.example/w1", new Uint8Array(32).fill(7))
      const { findings, unproved } = yield* monitorOnce(at(8), undefined, {
        trust: { pins: [yield* kid], witnesses: [witness], quorum: quorumOf([witness], 1) }
      })
      assert.deepStrictEqual(findings, [])
      assert.match(unproved.join(), /witnesses: .*too few for the quorum/)
    })
  )

  it.effect("runs as a command of its own over a copy that another command made", () =>
    Effect.gen(function* () {
      yield* closed(7, [["06", 500]])
      const { port } = yield* Service
      const folder = newFolder()
      const key = `--key=${yield* kid}`
      const copied = yield* plumbline(
        folder,
        {},
        "log",
        "mirror",
        "--from",
        `http://127.0.0.1:${port}`,
        key,
        "copy"
      )
      // By the real clock the next batch is late, which is no reason not to copy.
      assert.deepStrictEqual([copied.code, copied.err], [1, ""])
      assert.match(copied.out, /^FOUND {7}promise: newest batch/)
      const watched = yield* plumbline(
        folder,
        {},
        "verify",
        "monitor",
        "--dir",
        "copy",
        "--once",
        "--json",
        key
      )
      const { counts, findings, unproved } = JSON.parse(watched.out)
      assert.strictEqual(watched.code, 1)
      assert.deepStrictEqual([findings.length, findings[0].what, unproved], [1, "promise", []])
      assert.isAtLeast(counts.batches, 3)
      assert.strictEqual(counts.entries, counts.size)
      const nothing = yield* plumbline(folder, {}, "verify", "monitor", "--dir", "nowhere", "--once")
      assert.deepStrictEqual([nothing.code, /could not look/.test(nothing.out)], [2, true])
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("is served files that caches keep for good, except those that change", () =>
    Effect.gen(function* () {
      yield* first
      const { call } = yield* Service
      const control = (path: string) => Effect.map(call(path), (reply) => header(reply, "cache-control"))
      for (const path of [
        "/v1/log/checkpoints/2",
        "/v1/log/tile/0/000.p/1",
        "/v1/log/tile/entries/000.p/1",
        "/v1/log/batches/2026-09-03/leaves",
        "/v1/log/batches/2026-09-03/absent"
      ])
        assert.strictEqual(yield* control(path), "public, max-age=31536000, immutable", path)
      assert.strictEqual(yield* control("/v1/log/checkpoint"), "no-cache")
      assert.strictEqual(yield* control("/v1/log/checkpoints/99999"), "no-store")
    })
  )

  it.effect("is not alone: the service takes an altered row out of service and says so once", () =>
    Effect.gen(function* () {
      yield* first
      const sql = yield* SqlClient.SqlClient
      const { lines, logger } = captureLog()
      yield* Effect.gen(function* () {
        const { run } = yield* ServedSample
        assert.strictEqual(yield* run, 0)
        yield* sql`
          update daily set value = value + 1000 where day = '2026-09-03' and series = (
            select id from series where symbol = 'FIL' and metric = 'active_storage_providers'
          )`
        // Each round looks at two batches of several.
        for (let round = 0; round < 60; round++) yield* run
      }).pipe(Effect.provide(ServedSample.layer), Effect.provide(logger))
      const opened = yield* sql`select kind, symbol, reason from incident where closed_at is null`.pipe(
        incidentRows
      )
      assert.deepStrictEqual(opened, [
        {
          kind: "automatic",
          symbol: "FIL",
          reason: "a stored day differs from its leaf or its readings"
        }
      ])
      assert.strictEqual(
        lines.filter((line) => line.includes("differs from what was sealed or read")).length,
        1
      )
      const { call } = yield* Service
      const history = String((yield* call("/v1/history?network=FIL&metric=active_storage_providers")).body)
      assert.notInclude(history, "1200")
      const incidents = yield* Incidents
      assert.strictEqual((yield* incidents.list(true, 10)).length, 1)
    })
  )
})
