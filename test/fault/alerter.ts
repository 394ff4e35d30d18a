/**
 * A process that plants crossings, looks and sends until it is killed: `alerter.ts <number of the first run>`, with database
 * and target of its environment. Says `begins <n>` and `kept <n>` around each run of values.
 */
import { Effect, Layer, Option } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { networks } from "../../core/catalog/Catalog.ts"
import { EventFeed } from "../../core/events/EventFeed.ts"
import { PublicAddress } from "../../core/log/record/attest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as Database from "../../runtime/database/Database.ts"
import * as Messengers from "../../runtime/outside/messengers.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { secret } from "../support/credits.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const database = Layer.unwrap(Effect.map(Settings, (settings) => Database.layer(settings, "live"))).pipe(
  Layer.provide(Settings.layer)
)

/** The networks of one category, which one alert is about. */
export const symbols = networks.filter(({ category }) => category === "storage").map(({ symbol }) => symbol)

const messengers = Layer.suspend(() =>
  Messengers.layer({
    mail: Option.none(),
    telegramToken: Option.none(),
    hosts: new Map([["ntfy.sh", new URL(process.env["TARGET"] ?? "")]])
  })
)

export const services = Layer.mergeAll(Alerts.layer, AlertWatch.layer, AlertSender.layer, Ingest.layer).pipe(
  Layer.provideMerge(EventFeed.layer),
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Changes.layer),
  Layer.provideMerge(Runs.feedsOf(symbols)),
  Layer.provideMerge(Layer.mergeAll(secret, LogKeys.layer(), SecureRandom.layerWebCrypto)),
  Layer.provideMerge(Layer.succeed(PublicAddress, "https://plumbline.test")),
  Layer.provideMerge(messengers),
  Layer.provideMerge(database)
)

const start = Date.UTC(2026, 8, 1)

/** The value of a network in a run: every second one is above 100. */
export const valueOf = (n: number, index: number): number => ((n + index) % 2 === 0 ? 90 : 110)

/** The values of all networks, each over the bound that it was under before, or the reverse. */
export const runOf = (n: number) => {
  const at = start + n * 1000
  const rows = symbols.map((symbol, index) => Runs.row(valueOf(n, index), isoTime(at), { symbol }))
  const { bodies, run } = Runs.delivery(at, rows)
  return { bodies, run: { ...run, id: `run-${String(n).padStart(8, "0")}` } }
}

if (import.meta.main) {
  const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))
  Effect.runFork(
    Effect.gen(function* () {
      const ingest = yield* Ingest
      const { run: look } = yield* AlertWatch
      const { run: send } = yield* AlertSender
      yield* ingest.recover("testnet")
      const plant = Effect.gen(function* () {
        for (let n = Number(process.argv[2]); ; n++) {
          yield* say(`begins ${n}`)
          yield* ingest.write(runOf(n))
          yield* say(`kept ${n}`)
        }
      })
      const again = <E, R>(work: Effect.Effect<number, E, R>) =>
        Effect.forever(Effect.andThen(work, Effect.sleep("5 millis")))
      yield* Effect.all([plant, again(look), again(send)], { concurrency: "unbounded" })
    }).pipe(Effect.provide(services), Effect.tapCause(Effect.logError))
  )
}
