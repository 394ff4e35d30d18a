/** What one sender of `/v1/asof` can take from the thread that reads the rows of all. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeThread, TookTooLong } from "../../core/process/threads/thread.ts"
import { readTable } from "../../http/request/joinTable.ts"

const columnNames = ["symbol", "metric", "as_known_at", "at", "source"]

describe("a header", () => {
  it("of more columns than there are is refused by their number alone", () => {
    const names = Array.from({ length: 185_000 }, (_, n) => n.toString(36))
    assert.deepStrictEqual(readTable(names.join(","), columnNames), {
      why: "line 1: 185000 columns; there are 5: symbol, metric, as_known_at, at, source"
    })
  })

  it("that names a column twice, or none, is refused", () => {
    assert.deepStrictEqual(readTable("symbol,symbol\na,b", columnNames), {
      why: "line 1: two columns are named symbol"
    })
    assert.deepStrictEqual(readTable("", columnNames), { rows: [], lines: new Uint32Array() })
  })
})

describe("a thread", () => {
  it.effect("is ended where a task takes longer than it may, and the next task has a new one", () =>
    Effect.gen(function* () {
      const inThread = yield* makeThread<"endless" | "short", string>(
        new URL("../support/endless.thread.ts", import.meta.url),
        "endless",
        "10 seconds"
      )
      assert.strictEqual(yield* inThread("short"), "done")
      const endless = yield* Effect.forkChild(Effect.exit(inThread("endless")))
      const next = yield* Effect.forkChild(inThread("short"))
      yield* TestClock.adjust("10 seconds")
      const exit = yield* Fiber.join(endless)
      assert.instanceOf(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, TookTooLong)
      assert.strictEqual(yield* Fiber.join(next), "done")
    })
  )
})
