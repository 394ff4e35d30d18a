/** Two processes on one database: one writes the feed, and both serve the same of it. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Follower } from "../../core/readings/Follower.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { listening } from "../../runtime/service/following.ts"
import { cloneUrl } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const start = Date.UTC(2026, 8, 5, 9)

const processOn = Effect.fnUntraced(function* (url: string, keyFolder: string) {
  const database = Postgres.layer(Redacted.make(url)).pipe(
    Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())),
    Layer.orDie
  )
  const service = yield* Layer.build(
    Layer.fresh(
      Follower.layer.pipe(
        Layer.provideMerge(Service.layer({ database, keyFolder, manifests: [Runs.manifest] }))
      )
    )
  )
  const begun = Promise.withResolvers<void>()
  yield* Effect.forkScoped(Effect.provide(listening(Effect.sync(() => begun.resolve())), service))
  yield* Effect.promise(() => begun.promise)
  return service
})

it.effect("the feed has the same events and the same bytes on every process", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const url = yield* cloneUrl
    const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-key-"))
    const one = yield* processOn(url, keyFolder)
    const other = yield* processOn(url, keyFolder)
    const newestIds: Array<number> = []
    const feed = Context.get(other, EventFeed)
    yield* Effect.sync(() => feed.listen(() => newestIds.push(feed.newest())))
    for (let n = 1; n <= 5; n++) {
      const rows = [
        Runs.row(n, isoTime(start - 60_000 + n)),
        Runs.row(n, isoTime(start - 60_000 + n), { symbol: "STORJ" })
      ]
      // The values come through either of them.
      yield* Context.get(n % 2 === 0 ? one : other, Ingest).write(Runs.delivery(start + n, rows))
      assert.strictEqual(yield* Context.get(one, EventLog).run, 2)
      while (feed.newest() < 2 * n) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    }
    assert.strictEqual(newestIds.at(-1), 10)
    const path = "/v1/events?symbol=FIL,STORJ"
    const [here, there] = [
      yield* Context.get(one, Service).call(path),
      yield* Context.get(other, Service).call(path)
    ]
    assert.strictEqual(there.body.toString("utf8"), here.body.toString("utf8"))
    assert.strictEqual(JSON.parse(here.body.toString("utf8")).events.length, 10)
    // The other one can take over the writing.
    yield* Context.get(one, Ingest).write(Runs.delivery(start + 9, [Runs.row(9, isoTime(start))]))
    assert.strictEqual(yield* Context.get(other, EventLog).run, 1)
    assert.strictEqual(yield* Context.get(one, EventLog).run, 0)
  })
)
