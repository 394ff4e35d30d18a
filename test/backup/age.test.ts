/** The age of the last backup: absent before the first, and a metric from then on. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { backupAge, noteBackup } from "../../runtime/metrics/lastBackup.ts"
import { onBothEngines } from "../support/database.ts"

onBothEngines("the age of the last backup", (database) => {
  layer(database)((it) => {
    it.effect("is absent until one is whole, and counts from when it was begun", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 8, 5, 12))
        assert.isUndefined(yield* backupAge)
        yield* noteBackup("2026-09-05T11:00:00Z")
        assert.strictEqual(yield* backupAge, 3_600_000)
        yield* TestClock.setTime(Date.UTC(2026, 8, 7, 11))
        assert.strictEqual(yield* backupAge, 2 * 86_400_000)
        yield* noteBackup("2026-09-07T10:59:00Z")
        assert.strictEqual(yield* backupAge, 60_000)
      })
    )
  })
})
