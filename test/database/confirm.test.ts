/** `plumbline confirm`, as an operator uses it beside a database: what it shows, asks, keeps and changes. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { isoTime, type Observation } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { FeedEvidence } from "../../core/readings/ingest/compare/confirmation.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { withheld } from "../../core/readings/read/held.ts"
import { standings } from "../../core/readings/read/standings.ts"
import sia from "../../plugins/sia/index.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { plumbline } from "../support/plumbline.ts"
import * as Runs from "../support/runs.ts"
import { standIn } from "../upstream/stand-in.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-confirm-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const Case = Schema.fromJsonString(
  Schema.Struct({ exchanges: Schema.Array(Schema.Struct({ url: Schema.String, body: Schema.Json })) })
)
const { exchanges } = Schema.decodeUnknownSync(Case)(
  readFileSync(new URL("../../fixtures/sia/ok.json", import.meta.url), "utf8")
)

/** What the recorded upstream says at a path. */
const bodyAt = (path: string) => exchanges.find(({ url }) => new URL(url).pathname === path)?.body

const evidence = Layer.succeed(FeedEvidence, {
  hasCase: () => Effect.succeed(false),
  isShapeKept: () => Effect.succeed(false)
})

it.live(
  "a feed and a held reading are confirmed by whoever has looked at them",
  () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const now = yield* Clock.currentTimeMillis
      const upstream = yield* standIn((answer, { url }) =>
        answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(bodyAt(url)))
      )
      const env = {
        DATABASE_URL: yield* cloneUrl,
        DATA_DIR: cwd,
        SIGNING_KEY_FILE: join(cwd, "key"),
        LOG_KEY_FILE: join(cwd, "log-key"),
        SERVER_SECRET_FILE: join(cwd, "secret"),
        UPSTREAM_MAP: `api.siascan.com=${upstream.url.origin}`
      }
      yield* plumbline(cwd, env, "secret", "new")
      yield* plumbline(cwd, env, "key", "new")
      const services = Ingest.layer.pipe(
        Layer.provideMerge(Current.layer),
        Layer.provideMerge(Blobs.layerTable),
        Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(now)))),
        Layer.provideMerge(
          Layer.succeed(Feeds, Feeds.of({ manifests: [sia.manifest], states: Effect.succeed(new Map()) }))
        ),
        Layer.provideMerge(evidence),
        Layer.provideMerge(Postgres.layer(Redacted.make(env.DATABASE_URL)))
      )
      const about: Partial<Observation> = {
        symbol: "SC",
        metric: "active_storage_providers",
        source: "siascan"
      }
      const read = (at: number, hosts: number) =>
        Effect.flatMap(Ingest, ({ write }) =>
          write(Runs.delivery(at, [Runs.row(hosts, isoTime(at), about)], "sia"))
        )
      const standing = Effect.map(standings(), (all) => all.get("sia")?.state)
      const run = (...argv: ReadonlyArray<string>) => plumbline(cwd, env, "confirm", ...argv)

      const standingOf = (symbol: string) =>
        Effect.gen(function* () {
          const { rows } = yield* (yield* Current).reload
          return rows.filter(({ row }) => row.symbol === symbol)
        })
      yield* Effect.gen(function* () {
        yield* read(now - 120_000, 421)
        const sheet = yield* run()
        assert.strictEqual(sheet.code, 1)
        assert.match(sheet.out, /^1 feed with 1 figure unconfirmed, the oddest first\n/)
        assert.match(sheet.out, /SC active_storage_providers {2}421 count · \d min old · author's case 421 ·/)
        // Of the other figures nothing came.
        assert.match(sheet.out, /! no run gave what its author's case has: SC STORAGE_FREE_BYTES siascan/)
        assert.match(sheet.out, /--because "/)
        const paper = join(cwd, "sheet.html")
        assert.strictEqual((yield* run("--html", paper)).code, 0)
        assert.include(readFileSync(paper, "utf8"), "<code>active_storage_providers</code>")
        assert.match((yield* run("sia", "storj", "--yes")).err, /add --because/)
        const unknown = yield* run("sia", "--because", "seen there", "--series", "SC none siascan", "--yes")
        assert.match(unknown.err, /no unconfirmed figure of sia is named "SC none siascan"/)

        const question = yield* run("sia")
        assert.strictEqual(question.code, 1)
        assert.match(question.out, /sia \| reached \| 5 /)
        assert.match(question.out, /SC +active_storage_providers +421 +count/)
        assert.match(question.err, /no terminal to answer on: .*--yes/)
        assert.strictEqual(yield* standing, "unconfirmed")
        const captured = join(cwd, "captured", "sia", "captured.json")
        assert.isFalse(existsSync(captured))

        const confirmation = yield* run("sia", "--yes")
        assert.strictEqual(confirmation.code, 0, confirmation.err)
        assert.match(confirmation.out, /sia is confirmed: its values are no longer marked/)
        assert.strictEqual(yield* standing, "confirmed")
        assert.include(readFileSync(captured, "utf8"), '"expected"')
        assert.match((yield* run("sia", "--yes")).out, /sia was confirmed before \(operator, /)

        yield* read(now - 60_000, 421_000)
        const name = "SC active_storage_providers siascan"
        const both = yield* run("sia", "--held", name)
        assert.strictEqual(both.code, 1)
        assert.match(both.out, /held +421000 .*\n +served +421 .*\n +because +421000 is 1,000 times 421/)
        assert.lengthOf(yield* withheld(10), 1)
        // Of a newer reading that is held with it the reason is its own.
        yield* read(now - 55_000, 425_000)
        const newer = yield* run("sia", "--held", name)
        assert.match(newer.out, /held +425000 .*\n +served +421 .*\n +because +425000 is 1,010 times 421/)
        const wrong = yield* run("sia", "--held", "SC STORAGE_USED_BYTES siascan", "--yes")
        assert.match(wrong.err, new RegExp(`no reading of sia .* is held; held are: "${name}"`))
        const freed = yield* run("sia", "--held", name, "--yes")
        assert.strictEqual(freed.code, 0, freed.err)
        assert.lengthOf(yield* withheld(10), 0)
        const { rows } = yield* (yield* Current).reload
        assert.deepStrictEqual(
          rows.map(({ row }) => row.value),
          [425_000]
        )

        // Another level, which three later runs give again: released, and in doubt until somebody says that it is right.
        const [confirmed] = yield* standingOf("SC")
        assert.isUndefined(confirmed?.inDoubt)
        for (const ago of [50_000, 40_000, 30_000, 20_000]) yield* read(now - ago, 42_100_000)
        assert.isDefined((yield* standingOf("SC"))[0]?.inDoubt)
        const none = yield* run("sia", "--level", "SC STORAGE_USED_BYTES siascan")
        assert.match(none.err, new RegExp(`no levels of sia .* are in doubt; in doubt are: "${name}"`))
        const levels = yield* run("sia", "--level", name)
        assert.strictEqual(levels.code, 1)
        assert.match(levels.out, /before +425000 .*\n +after +42100000 .*\n +served +42100000/)
        const right = yield* run("sia", "--level", name, "--yes")
        assert.strictEqual(right.code, 0, right.err)
        assert.isUndefined((yield* standingOf("SC"))[0]?.inDoubt)

        // One fault of two series: one block, one answer.
        const used: Partial<Observation> = {
          symbol: "SC",
          metric: "STORAGE_USED_BYTES",
          source: "siascan",
          unit: "bytes"
        }
        const readBoth = (at: number, factor: number) =>
          Effect.flatMap(Ingest, ({ write }) =>
            write(
              Runs.delivery(
                at,
                [
                  Runs.row(42_100_000 * factor, isoTime(at), about),
                  Runs.row(5e12 * factor, isoTime(at), used)
                ],
                "sia"
              )
            )
          )
        yield* readBoth(now - 15_000, 1)
        yield* readBoth(now - 14_000, 100)
        const all = yield* run("sia", "--held", "all")
        assert.strictEqual(all.code, 1)
        assert.match(all.out, /2 series held by one fault since .* \(incident \d+\)/)
        assert.strictEqual(all.out.match(/ +because /g)?.length, 2)
        const freedAll = yield* run("sia", "--held", "all", "--yes")
        assert.strictEqual(freedAll.code, 0, freedAll.err)
        assert.match(freedAll.out, /the readings of its 2 series are served/)
        assert.lengthOf(yield* withheld(10), 0)
        assert.match((yield* run("sia", "--held", "all", "--yes")).err, /no reading of sia is held/)
      }).pipe(Effect.provide(services))
    }),
  120_000
)
