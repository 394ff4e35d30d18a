/** Files that wait to be sent, on a disk that takes no more. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Spool } from "../../http/delivery/Spool.ts"
import { HttpSettings } from "../../http/HttpSettings.ts"
import { disk, mayMount, skipped } from "../support/disk.ts"

describe("the spool", () => {
  it.effect.skipIf(!mayMount)(
    `fails with the disk's own words when it is full, and leaves nothing${skipped}`,
    () =>
      Effect.gen(function* () {
        const own = yield* disk(1)
        const spoolFolder = join(own.path, "spool")
        const settings = HttpSettings.of({
          baseUrl: "http://127.0.0.1",
          mode: "live",
          testMode: { keys: "live" },
          trustProxy: 0,
          metrics: true,
          spoolFolder,
          filesFolder: spoolFolder
        })
        const context = yield* Layer.build(
          Spool.layer.pipe(Layer.provide(Layer.succeed(HttpSettings, settings)))
        )
        yield* Effect.gen(function* () {
          const spool = yield* Spool
          const failed = yield* Effect.flip(
            Effect.scoped(spool.write(Stream.make("a".repeat(700_000), "b".repeat(700_000))))
          )
          assert.strictEqual(failed._tag, "SpoolUnusable")
          assert.include(String(failed), "ENOSPC")
          assert.deepStrictEqual(readdirSync(spoolFolder), [])
          // The room is free again: what fits is written.
          const { size } = yield* Effect.scoped(spool.write(Stream.make("a".repeat(700_000))))
          assert.strictEqual(size, 700_000)
        }).pipe(Effect.provideContext(context))
      })
  )
})
