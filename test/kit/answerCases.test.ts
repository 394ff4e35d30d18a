/** Real answers arrive by themselves: what a service keeps of its feeds' answers, and the cases that are made of it. */
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { shapesOf } from "../../core/readings/ingest/shapes/addresses.ts"
import { allCases } from "../../core/readings/ingest/shapes/cases.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { cutTape } from "../../runtime/answers/cutting.ts"
import { unpacked } from "../../runtime/answers/packedCase.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { captureDue } from "../../runtime/service/capturing.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"
import { cloneUrl } from "../support/database.ts"
import { plugins, soundCases } from "../support/plugins.ts"
import { plumblineHere } from "../support/plumbline.ts"
import * as Runs from "../support/runs.ts"

const day = 86_400_000
const noon = Date.UTC(2026, 8, 15, 12)

const sha = (body: Uint8Array) => createHash("sha256").update(body).digest("hex")

/** The tape with one more member in each object of its answers, and perhaps another text. */
const changed = (tape: Tape, change: (text: string) => string): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((one) => {
    const body = new TextEncoder().encode(change(new TextDecoder().decode(one.body)))
    return { ...one, body, sha256: sha(body) }
  })
})

/** A run that read this tape, `at` a time. */
const deliveryOf = Effect.fnUntraced(function* (plugin: Plugin, tape: Tape, at: number) {
  const rows = yield* Fixtures.replay(plugin, tape)
  const { bodies, run } = Runs.delivery(
    at,
    "observations" in rows ? rows.observations : [],
    plugin.manifest.id
  )
  return {
    bodies: new Map([
      ...bodies,
      ...tape.exchanges.map((one) => [one.sha256, zstdCompressSync(one.body)] as const)
    ]),
    shapes: shapesOf(tape.exchanges),
    run: {
      ...run,
      now: isoTime(tape.now),
      exchanges: tape.exchanges.map(({ at, body, headers, request, sha256, status }, n) => ({
        n,
        method: request.method,
        url: request.url,
        at: isoTime(at),
        status,
        headers,
        sha256,
        size: body.length,
        confirmed: false
      }))
    }
  }
})

const soundCase = (id: string) =>
  Effect.promise(async () => {
    const one = (await soundCases()).find((each) => each.id === id)
    if (one === undefined) throw new Error(`no plugin ${id}`)
    return one
  })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-cases-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.effect("a tape is cut to few entries, and to the members that a plugin reads, with their digits", () =>
  Effect.gen(function* () {
    const { plugin, tape } = yield* soundCase("golem")
    const more = changed(tape, (text) =>
      text.replace("{", '{"surplus":{"of":[1,2,3]},').replace("21044.53125", "21044.531250000000000001")
    )
    const derive = (one: Tape) =>
      Effect.map(Fixtures.replay(plugin, one), (rows) =>
        "observations" in rows ? rows.observations : undefined
      )
    const cut = yield* cutTape(more, derive)
    const texts = cut?.exchanges.map(({ body }) => new TextDecoder().decode(body)).join("\n") ?? ""
    assert.notInclude(texts, "surplus")
    assert.include(texts, '"memory":21044.531250000000000001')
    assert.deepStrictEqual(yield* derive(cut ?? tape), yield* derive(more))

    assert.isUndefined(yield* cutTape({ ...tape, exchanges: [] }, derive))
  })
)

it.live(
  "a service keeps a case of each feed, another for another shape, a few in all, and they become fixtures",
  () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const url = yield* cloneUrl
      const services = Ingest.layer.pipe(
        Layer.provideMerge(Current.layer),
        Layer.provideMerge(Blobs.layerTable),
        Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
        Layer.provideMerge(
          Layer.succeed(
            Feeds,
            Feeds.of({
              manifests: plugins.map(({ manifest }) => manifest),
              states: Effect.succeed(new Map())
            })
          )
        ),
        Layer.provideMerge(Postgres.layer(Redacted.make(url)))
      )
      const { plugin, tape } = yield* soundCase("golem")
      const secret = "a-long-secret-of-the-operator"
      process.env["GOLEM_API_KEY"] = secret
      yield* Effect.gen(function* () {
        const { write } = yield* Ingest
        const sql = yield* SqlClient.SqlClient
        const read = (at: number, change: (text: string) => string) =>
          Effect.flatMap(deliveryOf(plugin, changed(tape, change), at), write)
        const cases = Effect.map(allCases, (all) => all.length)
        // Each look is a day after the one before.
        const nextDay = sql`update answer_case set looked_at = looked_at - interval '2 days'`
        yield* captureDue()
        assert.strictEqual(yield* cases, 0)
        yield* read(noon, (text) => text.replace("{", `{"owner":"${secret}","surplus":1,`))
        yield* captureDue()
        assert.strictEqual(yield* cases, 1)
        const [first] = yield* allCases
        const stored = yield* unpacked(first?.tape ?? new Uint8Array())
        const text = stored.tape.exchanges.map(({ body }) => new TextDecoder().decode(body)).join("\n")
        assert.notInclude(text, "surplus")
        assert.notInclude(text, secret)
        assert.include(text, '"providers":412')
        // The same shape again is none; neither is a member that the plugin does not read.
        yield* nextDay
        yield* read(noon + day, (text) => text.replace("{", '{"another":1,'))
        yield* captureDue()
        assert.strictEqual(yield* cases, 1)
        // A member that is read and is now a text.
        for (const [n, name] of [
          "cores",
          "memory",
          "storage",
          "gpus",
          "providers",
          "computing_now"
        ].entries()) {
          yield* nextDay
          yield* read(noon + (n + 2) * day, (text) =>
            text.replace(new RegExp(`"${name}":([\\d.]+)`), `"${name}":"$1"`)
          )
          yield* captureDue()
        }
        assert.isAtMost(yield* cases, 5)
        assert.isAbove(yield* cases, 1)
        assert.strictEqual((yield* allCases)[0]?.run, first?.run)
      }).pipe(Effect.provide(services))
      delete process.env["GOLEM_API_KEY"]

      const env = {
        DATABASE_URL: url,
        DATA_DIR: cwd,
        SIGNING_KEY_FILE: join(cwd, "key"),
        LOG_KEY_FILE: join(cwd, "log-key"),
        SERVER_SECRET_FILE: join(cwd, "secret")
      }
      const out = join(cwd, "fixtures")
      const without = yield* plumblineHere(env, "plugin", "capture", "--export", out)
      assert.strictEqual(without.code, 0, without.err)
      assert.match(without.out, /0 cases written .*\nleft out, since their terms do not allow .*: golem/)
      writeFileSync(
        join(cwd, "permissions.json"),
        JSON.stringify([
          { feed: "golem", uses: ["bodies"], from: "2026-01-01", until: "2099-12-31", reference: "a letter" }
        ])
      )
      const allowed = { ...env, PERMISSIONS: join(cwd, "permissions.json") }
      const written = yield* plumblineHere(allowed, "plugin", "capture", "--export", out)
      assert.strictEqual(written.code, 0, written.err)
      assert.match(written.out, /^[2-5] cases written/)
      const place = join(out, "golem", "captured")
      const { recording, tape: again } = yield* Fixtures.load(place)
      assert.strictEqual(recording.origin, "captured")
      assert.match(recording.note, /^Captured at .* by a running service, and cut/)
      assert.deepStrictEqual(yield* Fixtures.replay(plugin, again), yield* Fixtures.expected(place))
      assert.include(readFileSync(`${place}.json`, "utf8"), '"nodes_online"')
    }),
  120_000
)
