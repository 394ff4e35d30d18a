/** A bundle carries the body in which its value stands: only where the upstream's terms allow it, anybody may ask, and the body is small. */
import { createHash } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { bundle4 } from "../../core/log/record/bundle4.ts"
import { enter } from "../../core/log/signingKeys.ts"
import type { Manifest, Terms } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { parseAnyBundle, partsOf } from "../../core/proof/bundle.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { onBothEngines } from "../support/database.ts"
import { logged } from "../support/logged.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const terms = (bodies: Terms["bodies"]): Terms => ({
  read: "2026-09-01",
  licence: "CC-BY-4.0",
  show: "yes",
  bulk: "yes",
  sell: "yes",
  bodies,
  attribution: "Data: Made-up, Inc.",
  address: "https://upstream.test/terms"
})

/** Feeds of one metric each, named after what is told apart. */
const feed = (id: string, of: Partial<Manifest>): Manifest => ({
  ...Runs.manifest,
  id,
  source: `${id}_feed`,
  ...of
})

const key = { variable: "KEY", header: "x-key" } as unknown as NonNullable<Manifest["auth"]>[string]
const manifests: ReadonlyArray<Manifest> = [
  feed("open", { terms: terms("yes") }),
  feed("unread", { terms: terms("unknown") }),
  feed("closed", { terms: terms("no") }),
  feed("keyed", { terms: terms("yes"), auth: { key } }),
  feed("derived", { terms: terms("yes") }),
  feed("several", { terms: terms("yes") }),
  feed("large", { terms: terms("yes") })
]

const bodyTexts: Readonly<Record<string, string>> = {
  derived: '{"nodes":450.5,"factor":2}',
  several: '{"nodes":901,"again":901}',
  large: JSON.stringify({ nodes: 901, more: "x".repeat(16 * 1024) })
}

const textOf = (plugin: string): string => bodyTexts[plugin] ?? '{"data":[{"nodes":"901"}],"at":1757073600}'
const hashOf = (plugin: string): string => createHash("sha256").update(textOf(plugin)).digest("hex")

/** A run of a feed that read one body and gave the value 901. */
const ran = (plugin: string) => {
  const text = textOf(plugin)
  const { bodies, run } = Runs.delivery(
    noon,
    [Runs.row(901, isoTime(noon - 1000), { source: `${plugin}_feed` })],
    plugin
  )
  const sha256 = hashOf(plugin)
  const exchanges = run.exchanges.map((one) => ({ ...one, sha256, size: text.length }))
  return {
    run: { ...run, exchanges },
    bodies: new Map([...bodies, [sha256, zstdCompressSync(text)] as const])
  }
}

onBothEngines("the body of a value", (database) => {
  const feeds = Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) }))
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(ArchiveFiles.layerTable),
    Layer.provideMerge(logged(database, noon, feeds))
  )

  layer(services)((it) => {
    it.effect("is in its bundle where it may be, and the verifier compares the number", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const since = Date.UTC(2026, 7, 1)
        yield* TestClock.setTime(noon)
        yield* sql.withTransaction(
          enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
        )
        for (const { id } of manifests) yield* (yield* Ingest).write(ran(id))
        yield* TestClock.setTime(noon + 20 * 3_600_000 + 1000)
        yield* (yield* RunLog).run
        yield* (yield* DailyClose).run
        const bodyIn = Effect.fnUntraced(function* (id: string) {
          const name = { symbol: "FIL", metric: "nodes_online", date: "20260905", source: `${id}_feed` }
          const { get, ...blobs } = yield* Blobs
          const hashes: Array<string> = []
          const watched = Blobs.of({
            ...blobs,
            get: (sha256) => {
              hashes.push(sha256)
              return get(sha256)
            }
          })
          const file = parseAnyBundle(
            JSON.stringify(yield* bundle4(name).pipe(Effect.provideService(Blobs, watched)))
          )
          return { body: partsOf(file).members.body, checks: verifyBundle(file).checks, hashes }
        })
        const { body, checks } = yield* bodyIn("open")
        assert.deepStrictEqual(body, {
          exchange: 0,
          text: '{"data":[{"nodes":"901"}],"at":1757073600}',
          pointer: "/data/0/nodes"
        })
        const named = (name: string) => checks.find((one) => one.name === name)
        assert.deepInclude(named("body"), { ok: true })
        assert.match(
          named("body")?.detail ?? "",
          /read 901 at \/data\/0\/nodes in the answer of https:\/\/stats\.example\.net\/v1\/nodes$/
        )
        assert.isUndefined(named("the value follows from the body"))
        for (const id of ["unread", "closed", "keyed", "derived", "several", "large"]) {
          const other = yield* bodyIn(id)
          assert.isUndefined(other.body, id)
          // What cannot be in it is not read either, and may be megabytes.
          assert.strictEqual(other.hashes.includes(hashOf(id)), ["derived", "several"].includes(id), id)
          const follows = other.checks.find(({ name }) => name === "the value follows from the body")
          assert.deepInclude(follows, { ok: "not checked" }, id)
          assert.match(follows?.detail ?? "", /derivation run-\d+` checks it/)
        }
      })
    )
  })
})
