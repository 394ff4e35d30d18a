/** `plumbline plugin capture --export`: the cases that a service kept, as fixtures. */
import { join } from "node:path"
import { Console, Effect, Layer, Option, Schema } from "effect"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { allCases } from "../../core/readings/ingest/shapes/cases.ts"
import { mayUse } from "../../core/rights/mayUse.ts"
import { inForce } from "../../core/rights/Permissions.ts"
import { unpacked } from "../answers/packedCase.ts"
import { NotPassed } from "../cli/usage.ts"
import * as Plugins from "../collector/plugins.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { capturedCase } from "../contributor/probe/probe.ts"
import { derived } from "../contributor/rows.ts"
import * as Database from "../database/Database.ts"
import { permissions } from "../service/permitting.ts"
import { Settings } from "../settings/Settings.ts"
import { printed } from "./lastKnown.ts"

const Printed = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({ plugin: Schema.String, run: Schema.String, tape: Schema.Uint8ArrayFromBase64 })
  )
)

/** The kept cases, through the service if one owns the data. */
const keptCases = Effect.gen(function* () {
  const settings = yield* Settings
  if (Option.isNone(settings.databaseUrl)) {
    const answer = yield* printed(settings.dataDir, "--cases")
    if (answer !== undefined && answer.exit !== 0) return yield* new NotPassed({ code: answer.exit })
    if (answer !== undefined) return yield* Schema.decodeEffect(Printed)(answer.text)
  }
  return yield* Effect.provide(allCases, Database.engine(settings))
})

/** Only a replay makes up permissions for its feeds. */
const noFeeds = Layer.succeed(Feeds, Feeds.of({ manifests: [], states: Effect.succeed(new Map()) }))

/** Writes each feed's cases, the first as `captured`, later ones with a number, and says which are left out. */
export const exportCases = Effect.fnUntraced(
  function* (folder: string) {
    const allowed = yield* inForce
    const names = yield* Plugins.names()
    let written = 0
    const left: Array<string> = []
    for (const [id, cases] of Map.groupBy(yield* keptCases, ({ plugin }) => plugin)) {
      if (!names.includes(id)) continue
      const plugin = yield* Plugins.find(id)
      if (!mayUse(plugin.manifest, "bodies", allowed)) {
        left.push(id)
        continue
      }
      for (const [n, { tape: bytes }] of cases.entries()) {
        const { mapped, tape } = yield* unpacked(bytes)
        const place = join(folder, id, n === 0 ? capturedCase : `${capturedCase}-${n + 1}`)
        const note = mapped
          ? `Answered by local stand-ins at ${isoTime(tape.now)}`
          : `Captured at ${isoTime(tape.now)} by a running service, and cut to what the plugin reads`
        yield* Fixtures.save(place, { plugin: id, origin: mapped ? "written" : "captured", note }, tape)
        yield* Fixtures.writeExpected(place, yield* derived(plugin, tape))
        written++
      }
    }
    yield* Console.log(
      `${written === 1 ? "1 case" : `${written} cases`} written to ${folder}; nobody has looked at them, and a committed one confirms its feed for everyone`
    )
    if (left.length > 0)
      yield* Console.log(
        `left out, since their terms do not allow handing on answers (PERMISSIONS may): ${left.join(", ")}`
      )
  },
  Effect.provide(Layer.provide(permissions("live"), noFeeds)),
  Effect.provide(Settings.layer)
)
