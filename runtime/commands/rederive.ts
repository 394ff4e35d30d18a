import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as DataClock from "../../core/clock/DataClock.ts"
import { day as dayMs } from "../../core/plugin/time.ts"
import { isDay } from "../../core/readings/read/parameters.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"
import { type Report, rederive as rederiveRuns } from "../derivation/rederivation.ts"

/** Bodies are stored for so many days, unless a manifest or a setting says otherwise. */
const usualDays = 90

/** What was found, in lines for a terminal. */
export const lines = (report: Report): ReadonlyArray<string> => {
  const {
    added,
    changes,
    current,
    failing,
    metrics,
    published,
    revised,
    runs,
    same,
    warranty,
    without_bodies
  } = report
  const changed = added + revised
  return [
    `${report.plugin}: ${runs} runs read again, ${current} of today's code, ${without_bodies} without their bodies`,
    ...Object.entries(failing).map(([reason, n]) => `  ${n} runs gave rows and now fail: ${reason}`),
    `  ${same} readings stay, ${revised} ${published ? "were revised" : "would be revised"}, ${added} ${published ? "were added" : "would be added"}`,
    ...Object.entries(metrics).map(([metric, n]) => `    ${metric}: ${n}`),
    ...changes.map(
      ({ after, as_of, before, metric, source, symbol }) =>
        `  ${as_of}  ${symbol} ${metric} ${source}: ${before ?? "nothing"} -> ${after}`
    ),
    ...(changes.length < changed ? [`  ... and ${changed - changes.length} more`] : []),
    ...(warranty === undefined
      ? []
      : [
          `the warranty of ${warranty.sales === 1 ? "one sale" : `${warranty.sales} sales`} would pay ${warranty.cost_usd} USD after the next close, within its ceilings`
        ]),
    ...(changed === 0
      ? ["nothing to publish"]
      : published
        ? [
            `published with the reason "method": ${report.code_before.join(", ")} -> ${report.code_after}; see /v1/revisions and /v1/diff`
          ]
        : ["nothing was changed; publish it with --publish"])
  ]
}

/** `plumbline rederive`: a fix of a plugin reaches the past. */
export const rederive = Command.make(
  "rederive",
  {
    plugin: Argument.String("plugin").pipe(Argument.withDescription("Folder name of the plugin")),
    from: Flag.String("from").pipe(
      Flag.withDescription(`First UTC day, YYYY-MM-DD (default: ${usualDays} days ago)`),
      Flag.optional
    ),
    publish: Flag.Boolean("publish").pipe(
      Flag.withDescription("Publish what differs; without it the command only says what would change"),
      Flag.withDefault(false)
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ from, json, plugin, publish }) {
    const day = from._tag === "Some" ? from.value : undefined
    if (day !== undefined && !isDay(day)) {
      return yield* new UsageError({ message: `--from: "${day}" must be a day, as 2026-09-01` })
    }
    yield* operate(
      Effect.gen(function* () {
        const now = yield* DataClock.now
        const report = yield* rederiveRuns({
          plugin,
          from: day === undefined ? now - usualDays * dayMs : Date.parse(day),
          publish,
          progress: (runs, at) => (json ? Effect.void : Console.error(`${runs} runs, up to ${at}`))
        })
        yield* Console.log(json ? JSON.stringify(report) : lines(report).join("\n"))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Read the recorded answers of a plugin's upstream with today's code, and say what would change: for a fix that should reach the past. With --publish, what differs is published as revisions with the reason `method` and both code hashes; a reading of a closed day that had none is late. Days stay as they were recorded: /v1/history?as_known_at shows both"
  ),
  Command.withShortDescription("Read stored answers again with a plugin's newer code")
)
