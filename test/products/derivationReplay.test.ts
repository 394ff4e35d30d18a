/** Bought runs: their bodies hash to what the run recorded, and derive its rows again without the service. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdCompressSync } from "node:zlib"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { afterAll, expect } from "vitest"
import { EncoderKeys } from "../../core/credits/EncoderKeys.ts"
import { derivationOf } from "../../core/log/record/derivation.ts"
import { Sources } from "../../core/log/Sources.ts"
import { termsOn } from "../../core/plugin/shapes/provenance.ts"
import { products } from "../../core/products/builds.ts"
import { derivationReplay, mostBytes } from "../../core/products/derivation_replay/build.ts"
import { DerivationReplay } from "../../core/products/derivation_replay/definition.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { portable } from "../../runtime/collector/load.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { player } from "../../runtime/demo/players.ts"
import { produce } from "../../runtime/demo/produce.ts"
import { unpack } from "../../runtime/derivation/export.ts"
import { exitOf, rederive } from "../../runtime/derivation/rederive.ts"
import * as StoreSources from "../../runtime/derivation/storeSources.ts"
import { lastReading, start } from "../../runtime/tape/instants.ts"
import { timeOn } from "../../runtime/tape/tape.ts"
import { secret } from "../support/credits.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const feedsOf = (...manifests: ReadonlyArray<typeof Runs.manifest>) =>
  Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) }))

/** A collector whose upstream lets its answers be handed on. */
const open = { ...Runs.manifest, terms: termsOn("2026-09-01", "Data: Example", { bodies: "yes" }) }
/** A collector of whose upstream nobody has read the terms. */
const unread = { ...Runs.manifest, id: "secretive", source: "other_feed" }

const services = Ingest.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Current.layer, Sources.layer, EncoderKeys.layer)),
  Layer.provide(secret),
  Layer.provideMerge(Layer.effectDiscard(partitions.ensure(noon))),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(feedsOf(open, unread)),
  Layer.provideMerge(postgres),
  Layer.orDie
)

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Keeps a run with these bodies, one exchange each. */
const stored = Effect.fnUntraced(function* (
  bodies: ReadonlyArray<Uint8Array>,
  over: { readonly id: string; readonly plugin?: string; readonly status?: "ok" | "failed" }
) {
  const delivery = Runs.delivery(noon, [])
  const exchanges = bodies.map((body, n) => ({
    n,
    method: "GET" as const,
    url: `https://stats.example.net/${n}`,
    at: "2026-09-05T12:00:00Z",
    status: 200,
    headers: { "content-type": "application/json" },
    sha256: sha256(body),
    size: body.length,
    confirmed: false
  }))
  yield* (yield* Ingest).write({
    run: { ...delivery.run, plugin: "testnet", ...over, exchanges },
    bodies: new Map([
      ...delivery.bodies,
      ...bodies.map((body) => [sha256(body), new Uint8Array(zstdCompressSync(body))] as const)
    ])
  })
})

const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate exchange, run, blob, unfinished, code`
  yield* TestClock.setTime(noon)
})

const bytesOf = ({ content, encoding }: DerivationReplay["targets"]["body"]) =>
  Buffer.from(content ?? "", encoding === "base64" ? "base64" : "utf8")

const text = Buffer.from('\ufeff{"online":"é\u0000"}')
const binary = Buffer.from([0xff, 0xfe, 0, 0x80])

layer(services)("derivation_replay", (it) => {
  it.effect("delivers every body so that its bytes have the recorded hash", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* stored([text, binary, new Uint8Array()], { id: "run-a" })
      const replay = yield* derivationReplay()
      assert.strictEqual(replay.run.id, "run-a")
      assert.deepStrictEqual(
        replay.exchanges.map(({ body }) => body.encoding),
        ["utf-8", "base64", "utf-8"]
      )
      for (const { body, sha256: recorded, size } of replay.exchanges) {
        assert.strictEqual(sha256(bytesOf(body)), recorded)
        assert.strictEqual(bytesOf(body).length, size)
      }
      assert.strictEqual(sha256(bytesOf(replay.targets.body)), replay.run.targets_sha256)
      assert.strictEqual(replay.bytes_delivered, text.length + binary.length)
      const decoded = Schema.decodeUnknownExit(DerivationReplay, { onExcessProperty: "error" })(replay)
      assert.strictEqual(decoded._tag, "Success", JSON.stringify(decoded))
      yield* Effect.promise(() =>
        expect(`${JSON.stringify(replay, null, 1)}\n`).toMatchFileSnapshot("golden/derivation_replay.json")
      )
    })
  )

  it.effect("names a body that is gone or damaged, and never guesses it", () =>
    Effect.gen(function* () {
      yield* fresh
      const blobs = yield* Blobs
      const [whole, gone, damaged] = ["whole", "gone", "damaged"].map((each) => Buffer.from(each))
      if (whole === undefined || gone === undefined || damaged === undefined) return assert.fail()
      yield* stored([whole, gone, damaged], { id: "run-b" })
      yield* blobs.remove([sha256(gone), sha256(damaged)])
      yield* blobs.put(sha256(damaged), new Uint8Array(zstdCompressSync(Buffer.from("other"))))
      const replay = yield* derivationReplay({ run: "run-b" })
      assert.deepStrictEqual(
        replay.exchanges.map(({ body }) => body),
        [
          { encoding: "utf-8", content: "whole" },
          { encoding: null, content: null, withheld: "gone" },
          { encoding: null, content: null, withheld: "damaged" }
        ]
      )
      assert.deepStrictEqual([replay.n_delivered, replay.n_withheld, replay.bytes_delivered], [1, 2, 5])
      yield* blobs.remove([sha256(whole)])
      const refused = yield* Effect.flip(derivationReplay({ run: "run-b" }))
      assert.strictEqual(refused._tag, "ProductUnavailable")
      assert.include(refused.message, "no longer stored")
    })
  )

  it.effect("without a run is the newest that finished and may be handed out", () =>
    Effect.gen(function* () {
      yield* fresh
      const none = yield* Effect.flip(derivationReplay())
      assert.strictEqual(none._tag, "ProductUnavailable")
      yield* stored([Buffer.from("a")], { id: "run-1" })
      yield* stored([Buffer.from("b")], { id: "run-2" })
      yield* stored([Buffer.from("c")], { id: "run-3", status: "failed" })
      yield* stored([Buffer.from("d")], { id: "run-4", plugin: "secretive" })
      yield* stored([Buffer.alloc(mostBytes + 1, "x")], { id: "run-5" })
      yield* stored([], { id: "run-6" })
      assert.strictEqual((yield* derivationReplay()).run.id, "run-2")
      assert.strictEqual((yield* derivationReplay({ run: "run-3" })).run.status, "failed")
      assert.strictEqual((yield* derivationReplay({ run: "run-1" })).exchanges[0]?.body.content, "a")
    })
  )

  it.effect("is refused, and nothing of a body leaves, where it may not or cannot be delivered", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* stored([Buffer.from("not for others")], { id: "run-s", plugin: "secretive" })
      yield* stored([Buffer.alloc(mostBytes, "x"), Buffer.from("y")], { id: "run-l" })
      const product = (yield* products).find(({ key }) => key === "derivation_replay")
      const refused = (inputs: Readonly<Record<string, unknown>>) =>
        product === undefined
          ? Effect.die("no such product")
          : Effect.flip(product.build({ id: "pur_test", inputs }))
      const secretive = yield* refused({ run: "run-s" })
      assert.strictEqual(secretive._tag, "NotForResale")
      assert.deepInclude(secretive, { error: "not_for_resale", plugin: "secretive" })
      assert.include(secretive.message, "Nothing was charged")
      assert.isFalse((yield* derivationOf("run-s")).resell)
      assert.notInclude(JSON.stringify(secretive), "not for others")
      for (const [run, message] of [
        ["run-l", `${mostBytes + 1} bytes`],
        ["run-nothing", "/v1/derivation lists all runs"],
        [7, "must be a string"],
        [null, "must be a string"]
      ] as const) {
        const error = yield* refused({ run })
        assert.strictEqual(error._tag, "BadParameter", String(run))
        assert.strictEqual("field" in error ? error.field : "", "run")
        assert.include(error.message, message)
      }
    })
  )
})

describe("where no collector says that its payloads may be resold", () => {
  it.effect("the price list says so, and a purchase is refused before anything is looked for", () =>
    Effect.gen(function* () {
      const product = (yield* products).find(({ key }) => key === "derivation_replay")
      if (product?.covers === undefined) return assert.fail()
      const { deliverable, holds, missing } = yield* product.covers({ inputs: {} })
      assert.strictEqual(deliverable, false)
      assert.strictEqual(holds, "No run whose payloads may be resold yet")
      assert.match(
        missing[0] ?? "",
        /^Payloads of 1 of 1 collectors.* not_for_resale, and nothing is charged$/
      )
      const refused = yield* Effect.flip(product.build({ id: "pur_test", inputs: {} }))
      assert.strictEqual(refused._tag, "NotForResale")
    }).pipe(Effect.provide(feedsOf(unread)), Effect.provide(services))
  )
})

const folders: Array<string> = []
const folderOf = () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-test-"))
  folders.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe("a saved purchase", () => {
  const whole = StoreSources.layer.pipe(
    Layer.provideMerge(Layer.effectDiscard(partitions.ensure(start))),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        Blobs.layerTable,
        Layer.effect(
          Feeds,
          Effect.map(Plugins.find("storj"), ({ manifest }) =>
            Feeds.of({
              manifests: [
                {
                  ...portable(manifest),
                  terms: termsOn("2026-09-01", "Data: Example", { bodies: "yes" })
                }
              ],
              states: Effect.succeed(new Map())
            })
          )
        ).pipe(Layer.orDie)
      )
    ),
    Layer.provideMerge(postgres),
    Layer.provideMerge(layerWebCrypto)
  )

  it.effect("derives the run's rows again, and one changed byte of it does not pass", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const storjPlayer = yield* player(yield* Plugins.find("storj"))
      const delivery = yield* produce(
        storjPlayer,
        timeOn(storjPlayer.reel, lastReading(storjPlayer.plugin.manifest, start))
      )
      yield* (yield* Ingest).write(delivery)
      const data = yield* derivationReplay()
      const check = Effect.fnUntraced(function* (answer: unknown) {
        const [folder, saved] = [folderOf(), join(folderOf(), "purchase.json")]
        writeFileSync(saved, JSON.stringify(answer))
        yield* unpack(saved, folder)
        return yield* rederive(folder, delivery.run.id)
      })
      const checks = yield* check({ status: "purchased", product_key: "derivation_replay", data })
      assert.strictEqual(exitOf(checks), 0, JSON.stringify(checks))
      assert.include(
        checks.find(({ name }) => name === "rows")?.detail,
        `${delivery.run.observations.length} rows`
      )
      const [first, ...rest] = data.exchanges
      if (first === undefined) return assert.fail()
      const body = { ...first.body, content: first.body.content?.replace(/[0-8]/, "9") ?? null }
      assert.strictEqual(exitOf(yield* check({ ...data, exchanges: [{ ...first, body }, ...rest] })), 1)
      const other = {
        ...data,
        files: data.files?.map((file) => ({ ...file, sha256: "0".repeat(64) })) ?? null
      }
      assert.strictEqual(exitOf(yield* check(other)), 2)
      const wrong = join(folderOf(), "wrong.json")
      writeFileSync(wrong, "{}")
      assert.strictEqual((yield* Effect.flip(unpack(wrong, folderOf())))._tag, "UsageError")
    }).pipe(Effect.provide(whole))
  )
})
