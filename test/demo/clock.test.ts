/** The clock of a replay, as the layers of the service hand it down. */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { Facts } from "../../runtime/database/facts.ts"
import { identity } from "../../runtime/service/operating.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { start } from "../../runtime/tape/instants.ts"
import { onBothEngines } from "../support/database.ts"
import { newFolder } from "../support/keyring.ts"

onBothEngines("a replay", (database) => {
  const settings = Layer.suspend(() =>
    Settings.layer.pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ DATA_DIR: newFolder() })))
    )
  )
  const replaying = Current.layer.pipe(
    Layer.provideMerge(identity("replay")),
    Layer.provideMerge(settings),
    Layer.provideMerge(Facts.layer),
    Layer.provideMerge(database),
    Layer.orDie
  )

  layer(replaying, { excludeTestServices: true })((it) => {
    it.effect("has one clock for all: what never changed dates from its start, not from today", () =>
      Effect.gen(function* () {
        const versions = yield* Versions
        const changed = yield* versions.changedAt(["reads", "log", "keys"])
        const now = yield* DataClock.now
        assert.isAtLeast(changed, start)
        assert.isAtMost(changed, now)
        assert.isBelow(now, start + 3_600_000)
      })
    )
  })
})
