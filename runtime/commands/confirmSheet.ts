/** `plumbline confirm` over many feeds: the sheet of all that waits, shown where the command was given, decided where the data is. */
import { Console, Effect, Option, Schema } from "effect"
import { program } from "../../core/process/program.ts"
import { confirm, confirmSome } from "../../core/readings/ingest/compare/confirmation.ts"
import { unconfirmedFigures } from "../../core/readings/read/unconfirmedFigures.ts"
import { Inside, operate } from "../admin/run.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { figureKey } from "../confirming/recorded.ts"
import { Sheet, sheetNow } from "../confirming/sheet.ts"
import { sit } from "../confirming/sit.ts"
import type { Decision } from "../confirming/sitting.ts"
import { sheetText, waitingText } from "../confirming/text.ts"
import { forward } from "../database/ownership.ts"
import { replaceFile } from "../outside/disk.ts"
import { Settings } from "../settings/Settings.ts"

const SheetJson = Schema.fromJsonString(Sheet)

/** Prints the sheet as JSON: what a command asks the service for. */
export const printJson = (plugins: ReadonlyArray<string>) =>
  operate(
    Effect.flatMap(sheetNow(plugins), (sheet) => Console.log(JSON.stringify(sheet))),
    ["confirm", ...plugins, "--json"]
  )

/** The sheet, through the service if one owns the data. */
const sheetOf = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  const { databaseUrl, dataDir } = yield* Settings
  if (Option.isNone(databaseUrl)) {
    const printed: Array<string> = []
    const exit = yield* forward(dataDir, ["confirm", ...plugins, "--json"], (text) => printed.push(text))
    if (exit === 0) return yield* Schema.decodeEffect(SheetJson)(printed.join(""))
    if (exit !== undefined) return yield* new NotPassed({ code: exit })
  }
  const sheet = yield* operate(sheetNow(plugins))
  return sheet ?? (yield* new UsageError({ message: "a service took the data meanwhile: try again" }))
})

const recordFeeds = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>, reason: string) {
  for (const plugin of plugins)
    yield* Console.log(
      (yield* confirm(plugin, "operator", reason))
        ? `${plugin} is confirmed: ${reason}`
        : `${plugin} was confirmed before, or has not run in this service yet`
    )
})

const recordSeries = Effect.fnUntraced(function* (
  plugin: string,
  named: ReadonlyArray<string>,
  reason: string
) {
  const feed = (yield* unconfirmedFigures()).find((one) => one.plugin === plugin)
  const figures = named.map((name) => {
    const key = name.trim().split(/\s+/).join(" ")
    return { key, series: feed?.figures.find((one) => figureKey(one) === key)?.series }
  })
  const unknown = figures.find(({ series }) => series === undefined)
  if (unknown !== undefined) {
    return yield* new UsageError({
      message: `no unconfirmed figure of ${plugin} is named "${unknown.key}" (${program} confirm ${plugin} --json lists them)`
    })
  }
  const series = figures.flatMap((one) => (one.series === undefined ? [] : [one.series]))
  yield* confirmSome(plugin, series, reason)
  yield* Console.log(
    `${series.length === 1 ? "1 figure" : `${series.length} figures`} of ${plugin} confirmed: ${reason}`
  )
})

/** The reason goes into the log as it is: it must say something, in one line. */
const checkedReason = (reason: string) =>
  /^[^\p{Cc}]{3,200}$/u.test(reason.trim())
    ? Effect.succeed(reason.trim())
    : Effect.fail(new UsageError({ message: "--because takes 3 to 200 characters in one line" }))

/** Confirms feeds, or some series of one, for a reason. */
export const decide = Effect.fnUntraced(function* (
  plugins: ReadonlyArray<string>,
  series: ReadonlyArray<string>,
  because: string
) {
  const reason = yield* checkedReason(because)
  const [plugin] = plugins
  if (plugin === undefined || (series.length > 0 && plugins.length > 1))
    return yield* new UsageError({
      message: "name the feeds that --because is of; with --series one of them"
    })
  const argv = [
    "confirm",
    ...plugins,
    ...series.flatMap((name) => ["--series", name]),
    "--because",
    reason,
    "--yes"
  ]
  yield* operate(
    series.length === 0 ? recordFeeds(plugins, reason) : recordSeries(plugin, series, reason),
    argv
  )
})

const carriedOut = (decision: Decision) =>
  "feeds" in decision
    ? decide(decision.feeds, [], decision.reason)
    : decide([decision.feed], decision.series, decision.reason)

/** Shows what waits, and asks; without a terminal it only shows it. Ends with 1 while anything waits. */
export const overSheet = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>) {
  const isTerminal = Option.isNone(yield* Inside) && process.stdin.isTTY && process.stdout.isTTY
  const sheet = yield* sheetOf(plugins)
  if (!isTerminal) yield* Console.log(sheetText(sheet))
  else {
    yield* sit(sheet, carriedOut)
    const left = yield* sheetOf(plugins)
    yield* Console.log(waitingText(left))
    if (left.feeds.length === 0) return
  }
  if (sheet.feeds.length > 0) return yield* new NotPassed({ code: 1 })
})

/** Writes the sheet as a page. */
export const writePage = Effect.fnUntraced(function* (plugins: ReadonlyArray<string>, file: string) {
  const { page } = yield* Effect.promise(() => import("../confirming/page.ts"))
  const sheet = yield* sheetOf(plugins)
  yield* replaceFile(file, page(sheet))
  yield* Console.log(`${waitingText(sheet)}: ${file}`)
})
