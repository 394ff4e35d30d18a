/** A run is kept with all that its rows came from, is derived again in a child process, and no changed byte passes. */
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { Log } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { codeOf, derivation, derivationOf } from "../../core/log/record/derivation.ts"
import type { Check } from "../../core/proof/check.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { parse } from "../../http/client/verifier/src/cli/options.ts"
import { codeHash } from "../../runtime/collector/codeHash.ts"
import { portable } from "../../runtime/collector/load.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { type Exported, exportRun } from "../../runtime/derivation/export.ts"
import { underSignedHead } from "../../runtime/derivation/headOfRun.ts"
import { exitOf, exportedIn, rederive } from "../../runtime/derivation/rederive.ts"
import * as StoreSources from "../../runtime/derivation/storeSources.ts"
import { lastReading, start } from "../../runtime/tape/instants.ts"
import { timeOn } from "../../runtime/tape/tape.ts"
import { postgres } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"

const ids = ["storj", "filecoin", "coingecko"]

const feeds = Layer.effect(
  Feeds,
  Effect.map(
    Effect.forEach(ids, (id) => Plugins.find(id)),
    (plugins) =>
      Feeds.of({
        manifests: plugins.map(({ manifest }) => portable(manifest)),
        states: Effect.succeed(new Map())
      })
  )
).pipe(Layer.orDie)

const layer = RunLog.layer.pipe(
  Layer.provideMerge(Log.layer),
  Layer.provideMerge(LogKeys.layer()),
  Layer.provideMerge(StoreSources.layer),
  Layer.provideMerge(Layer.effectDiscard(partitions.ensure(start))),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Layer.mergeAll(Blobs.layerTable, feeds)),
  Layer.provideMerge(postgres),
  Layer.provideMerge(layerWebCrypto)
)

/** Keeps one run of the plugin over the demo's tape; gives its id. */
const storeRun = Effect.fnUntraced(function* (id: string) {
  yield* TestClock.setTime(start)
  const { manifest } = yield* Effect.flatMap(Plugins.find(id), (plugin) => Effect.succeed(plugin))
  assert.strictEqual(manifest.id, id)
  const recorded = yield* player(yield* Plugins.find(id))
  const delivery = yield* produce(
    recorded,
    timeOn(recorded.reel, lastReading(recorded.plugin.manifest, start))
  )
  yield* (yield* Ingest).write(delivery)
  // Its hour is over, and in the log.
  yield* TestClock.setTime(Date.parse(delivery.run.finished) + 2 * 3_600_000)
  assert.isAbove(yield* (yield* RunLog).run, 0)
  return delivery.run
})

const folders: Array<string> = []
const folderOf = Effect.fnUntraced(function* (id: string) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-test-"))
  folders.push(folder)
  yield* exportRun(id, folder)
  return folder
})

const failures = (checks: ReadonlyArray<Check>) =>
  checks.filter(({ ok }) => ok === false).map(({ detail, name }) => `${name}: ${detail}`)

/** Changes one byte in the middle of a file. */
const spoil = (file: string) => {
  const bytes = readFileSync(file)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

const edit = (folder: string, change: (run: Exported) => unknown) => {
  const file = join(folder, "run.json")
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")) as Exported)))
}

/** Makes the hashes of an export those of a changed source, as a modified service would: the log of a test has nothing of it. */
const recommit = (folder: string, path: string) =>
  Effect.sync(() => {
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, path)))
      .digest("hex")
    edit(folder, ({ observed: _, ...run }) => {
      const files = (run.files ?? []).map((one) => (one.path === path ? { ...one, sha256 } : one))
      const sources = files.map((one) => ({ ...one, bytes: new Uint8Array() }))
      return { ...run, files, code_hash: codeHash(sources, run.settings) }
    })
  })

describe("a derivation", () => {
  for (const id of ids) {
    it.effect(`of ${id} gives the same rows again`, () =>
      Effect.gen(function* () {
        const run = yield* storeRun(id)
        const folder = yield* folderOf(run.id)
        const checks = yield* rederive(folder, run.id)
        assert.deepStrictEqual(failures(checks), [])
        assert.strictEqual(exitOf(checks), 0)
        const [inLog] = checks
        assert.include(inLog, { name: "in the log", ok: true })
        assert.isTrue(checks.some(({ name, ok }) => name === "rows in the log" && ok === true))
        const rows = checks.find(({ name }) => name === "rows")
        assert.include(rows?.detail, `${run.observations.length} rows`)
        assert.isAbove(run.observations.length, 0)
        const stored = checks.find(({ name }) => name === "stored rows")
        assert.notInclude(stored?.detail, " 0 readings")
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("is held to what the log says of the run", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const foundAfter = Effect.fnUntraced(function* (change: (exported: Exported) => unknown) {
        const folder = yield* folderOf(run.id)
        edit(folder, change)
        return failures(yield* rederive(folder, run.id)).join("\n")
      })
      const observed =
        (change: (of: NonNullable<Exported["observed"]>) => unknown) => (exported: Exported) => ({
          ...exported,
          observed: exported.observed === undefined ? undefined : change(exported.observed)
        })
      const [exchange, ...others] = run.exchanges
      for (const [change, says] of [
        [(of) => ({ ...of, settings: { some: "setting" } }), /hash of the settings/],
        [(of) => ({ ...of, now: "2026-09-01T00:00:00Z" }), /the time that it saw/],
        [(of) => ({ ...of, code_hash: "1".repeat(64) }), /hash of the code/],
        [
          (of) => ({ ...of, exchanges: [{ ...exchange, headers: { date: "x" } }, ...others] }),
          /hash of the headers/
        ],
        [(of) => ({ ...of, exchanges: others }), /number of exchanges/],
        [
          observed((of) => ({ ...of, leaf: of.leaf.replace(/"n_refused":\d+/, '"n_refused":77') })),
          /does not lead from the run/
        ],
        [observed((of) => ({ ...of, index: of.index + 1 })), /does not lead from the run/],
        [
          observed((of) => ({ ...of, document: of.document.replace('"late":true', '"late":false') })),
          /not about the hour's document/
        ]
      ] satisfies ReadonlyArray<readonly [(exported: Exported) => unknown, RegExp]>)
        assert.match(yield* foundAfter(change), says)
      // Without a proof a derivation is one all the same, and says that it has none.
      const folder = yield* folderOf(run.id)
      edit(folder, ({ observed: _, ...rest }) => rest)
      const checks = yield* rederive(folder, run.id)
      assert.include(checks[0], { name: "chain of runs", ok: "not checked" })
      assert.strictEqual(exitOf(checks), 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is held to the head of the log, by the keys that the caller was given", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const outcome = Effect.fnUntraced(function* (
        args: ReadonlyArray<string>,
        change: (exported: Exported) => Exported = (exported) => exported
      ) {
        const exported = change(yield* exportedIn(yield* folderOf(run.id)))
        const { values } = parse(["--pins=none", ...args])
        const checks = yield* underSignedHead(exported, values, {
          print: () => undefined,
          env: {},
          get: () => Promise.reject(new Error("asks nobody"))
        })
        return [exitOf(checks), checks.find(({ ok }) => ok !== true && ok !== "not checked")?.detail ?? ""]
      })
      const key = `--key=${thumbprint(LogKeys.publicKey)}`
      assert.deepStrictEqual(yield* outcome([key]), [0, ""])
      const [alone, why] = yield* outcome([])
      assert.strictEqual(alone, 2)
      assert.match(String(why), /nobody vouches for key/)
      assert.strictEqual((yield* outcome([`--key=${"A".repeat(43)}`]))[0], 1)
      const head =
        (edit: (of: NonNullable<Exported["head"]>) => NonNullable<Exported["head"]>) =>
        (exported: Exported): Exported =>
          exported.head === undefined ? exported : { ...exported, head: edit(exported.head) }
      const [other, says] = yield* outcome(
        [key],
        head((of) => ({ ...of, checkpoint: of.checkpoint.replace(/\n(\d+)\n/, "\n1$1\n") }))
      )
      assert.strictEqual(other, 1)
      assert.match(String(says), /checkpoint covers 1\d+ entries/)
      const unsigned = yield* outcome([key], ({ head: _, ...rest }) => rest)
      assert.strictEqual(unsigned[0], 2)
      assert.match(String(unsigned[1]), /no head of the log/)
    }).pipe(Effect.provide(layer))
  )

  it.effect("names every changed byte", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const failuresAfter = Effect.fnUntraced(function* (change: (folder: string) => void) {
        const folder = yield* folderOf(run.id)
        change(folder)
        const checks = yield* rederive(folder, run.id)
        assert.strictEqual(exitOf(checks), 1)
        return failures(checks).join("\n")
      })
      const body = run.exchanges[0]
      assert.isDefined(body)
      assert.include(
        yield* failuresAfter((folder) => spoil(join(folder, "bodies", body.sha256))),
        `body of exchange 0, GET ${body.url}`
      )
      assert.include(
        yield* failuresAfter((folder) => spoil(join(folder, "bodies", run.targets_sha256))),
        "targets:"
      )
      assert.include(
        yield* failuresAfter((folder) => spoil(join(folder, "plugins/storj/index.ts"))),
        "code: plugins/storj/index.ts was changed"
      )
      assert.include(
        yield* failuresAfter((folder) => spoil(join(folder, "core/plugin/Value.ts"))),
        "code: core/plugin/Value.ts was changed"
      )
      assert.include(
        yield* failuresAfter((folder) => edit(folder, (run) => ({ ...run, settings: { url: "x" } }))),
        "code: files and settings hash to"
      )
      assert.include(
        yield* failuresAfter((folder) => edit(folder, (run) => ({ ...run, rows_sha256: "0".repeat(64) }))),
        "rows:"
      )
      assert.include(
        yield* failuresAfter((folder) => {
          const file = join(folder, "stored.json")
          const rows = JSON.parse(readFileSync(file, "utf8")) as Array<{ value: number }>
          writeFileSync(
            file,
            JSON.stringify(rows.map((row, at) => (at === 0 ? { ...row, value: row.value + 1 } : row)))
          )
        }),
        "the store has"
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not fail where its sources or bodies are no longer kept, and says so", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const gone = Effect.fnUntraced(function* (change: (folder: string) => void) {
        const folder = yield* folderOf(run.id)
        change(folder)
        const checks = yield* rederive(folder, run.id)
        assert.strictEqual(exitOf(checks), 2)
        return checks.filter(({ ok }) => ok === "not checked").map(({ detail }) => detail)
      })
      const [code] = yield* gone((folder) => edit(folder, ({ files: _, ...run }) => run))
      assert.include(code, "code not available")
      const [file] = yield* gone((folder) => rmSync(join(folder, "plugins/storj/index.ts")))
      assert.include(file, "code not available: plugins/storj/index.ts")
      const [body] = yield* gone((folder) => rmSync(join(folder, "bodies", run.exchanges[0]?.sha256 ?? "")))
      assert.include(body, "no longer kept")
    }).pipe(Effect.provide(layer))
  )

  it.effect("says where the code is not that of this checkout, whatever it gives", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const folder = yield* folderOf(run.id)
      const whose = (checks: ReadonlyArray<Check>) =>
        checks.find(({ name }) => name === "code of this checkout")
      assert.include(whose(yield* rederive(folder, run.id)), { ok: true })
      const file = join(folder, "core/plugin/Value.ts")
      writeFileSync(file, `${readFileSync(file, "utf8")}\n`)
      yield* recommit(folder, "core/plugin/Value.ts")
      const checks = yield* rederive(folder, run.id)
      assert.deepStrictEqual([failures(checks), exitOf(checks)], [[], 0])
      const other = whose(checks)
      assert.include(other, { ok: "not checked" })
      assert.match(other?.detail ?? "", /^1 of \d+ files are others here: core\/plugin\/Value.ts; /)
    }).pipe(Effect.provide(layer))
  )

  it.effect("gives its sources no file, network or process", () =>
    Effect.gen(function* () {
      const run = yield* storeRun("storj")
      const folder = yield* folderOf(run.id)
      const file = join(folder, "plugins/storj/index.ts")
      const source = readFileSync(file, "utf8")
      const attempts: ReadonlyArray<readonly [string, RegExp]> = [
        [`import "node:net"`, /must not/],
        [`import { execSync } from "node:child_process"; execSync("true")`, /must not/],
        [`await fetch("http://127.0.0.1:9/")`, /fetch is not defined/],
        [`process.getBuiltinModule("fs")`, /not a function/]
      ]
      for (const [attempt, says] of attempts) {
        writeFileSync(file, `${attempt}\n${source}`)
        yield* recommit(folder, "plugins/storj/index.ts")
        const checks = yield* rederive(folder, run.id)
        assert.match(failures(checks).join("\n"), says)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("stands in the ledger, newest first, page by page", () =>
    Effect.gen(function* () {
      const first = yield* storeRun("storj")
      const second = yield* storeRun("filecoin")
      const [newest, oldest] = [first, second].sort((a, b) => (a.id < b.id ? 1 : -1))
      const page = yield* derivation({ limit: 1 })
      assert.deepStrictEqual(
        page.runs.map(({ id }) => id),
        [newest?.id]
      )
      const rest = yield* derivation({ limit: 1, cursor: page.next_cursor })
      assert.deepStrictEqual(
        rest.runs.map(({ id }) => id),
        [oldest?.id]
      )
      assert.isUndefined(rest.next_cursor)
      const [only] = (yield* derivation({ plugin: "storj" })).runs
      assert.strictEqual(only?.plugin, "storj")
      assert.isTrue(only?.code_kept)
      assert.isTrue(only?.simulated)
      const whole = yield* derivationOf(first.id)
      assert.strictEqual(whole.rows_sha256.length, 64)
      assert.strictEqual(whole.n_rows, first.observations.length)
      assert.deepStrictEqual(
        whole.exchanges.map(({ body_kept, sha256 }) => [body_kept, sha256]),
        first.exchanges.map(({ sha256 }) => [true, sha256])
      )
      yield* (yield* Blobs).remove(first.exchanges.map(({ sha256 }) => sha256))
      assert.isFalse((yield* derivationOf(first.id)).exchanges[0]?.body_kept)
      const code = yield* codeOf(first.code_hash)
      assert.includeMembers(
        code.files.map(({ path }) => path),
        ["package.json", "package-lock.json"]
      )
      assert.strictEqual((yield* Effect.flip(derivation({ plugin: "nothing" })))._tag, "BadParameter")
      assert.strictEqual((yield* Effect.flip(derivationOf("nothing")))._tag, "NotDerived")
      assert.strictEqual((yield* Effect.flip(codeOf("nothing")))._tag, "NotDerived")
      for (const folder of folders) {
        assert.isAbove(readdirSync(folder).length, 0)
        rmSync(folder, { recursive: true })
      }
    }).pipe(Effect.provide(layer))
  )
})
