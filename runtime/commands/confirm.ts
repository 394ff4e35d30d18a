import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { LogKey } from "../../core/log/Log.ts"
import { program } from "../../core/process/program.ts"
import { confirm as confirmFeed } from "../../core/readings/ingest/compare/confirmation.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { doubtful } from "../../core/readings/read/doubtful.ts"
import { faultsOf, type HeldFault, type Withheld, withheld } from "../../core/readings/read/held.ts"
import { standings } from "../../core/readings/read/standings.ts"
import { Inside, operate } from "../admin/run.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import { Settings } from "../settings/Settings.ts"

/** Asks on the terminal; where there is none, the answer has to be on the command line. */
const agreed = Effect.fnUntraced(function* (message: string, yes: boolean) {
  if (yes) return true
  if (!process.stdin.isTTY) {
    return yield* new UsageError({
      message: "this is no terminal to answer on: look at the above, and add --yes"
    })
  }
  return yield* Prompt.run(Prompt.Confirm({ message, initial: false })).pipe(
    Effect.orElseSucceed(() => false)
  )
})

/** Nothing is confirmed: the command says what stays. */
const refused = (what: string) => Effect.andThen(Console.log(what), Effect.fail(new NotPassed({ code: 1 })))

/** Where the data is: confirms the feed with the code that it ran with last. */
const recordFeed = Effect.fnUntraced(function* (plugin: string) {
  if ((yield* LogKey).simulated)
    return yield* Console.log("this is a replay, whose feeds are confirmed by definition")
  if (yield* confirmFeed(plugin, "operator")) {
    return yield* Console.log(
      `${plugin} is confirmed: its values are no longer marked, and figures are computed from them`
    )
  }
  const standing = (yield* standings()).get(plugin)
  yield* Console.log(
    standing === undefined
      ? `${plugin} has not run in this service yet; the recorded answers confirm it at its first run`
      : `${plugin} was confirmed before (${standing.how ?? standing.state}, ${standing.since.toISOString()})`
  )
})

const confirmed = Effect.fnUntraced(function* (name: string, yes: boolean) {
  const record = operate(recordFeed(name), ["confirm", name, "--yes"])
  if (Option.isSome(yield* Inside)) return yield* record
  // A service that executes this command has no use for the tools that reach the upstream.
  const { lookAt } = yield* Effect.promise(() => import("./confirmHere.ts"))
  const keep = yield* lookAt(name)
  if (!(yield* agreed(`Do these answers mean what ${name} reads from them?`, yes))) {
    return yield* refused(`nothing is confirmed; ${name} stays as it was`)
  }
  yield* keep
  yield* record
})

const nameOf = ({ metric, source, symbol }: Pick<Withheld, "metric" | "source" | "symbol">) =>
  `${symbol} ${metric} ${source}`

/** The reading that a name means. Says which readings of the plugin are held, if it is none of them. */
const readingOf = Effect.fnUntraced(function* (plugin: string, name: string) {
  const [symbol = "", metric = "", ...rest] = name.trim().split(/\s+/)
  const source = rest.join(" ")
  const [reading] = yield* withheld(1, { symbol, metric, source })
  if (reading?.plugin === plugin) return reading
  const others = (yield* withheld(1000)).filter((one) => one.plugin === plugin)
  return yield* new UsageError({
    message:
      `no reading of ${plugin} named "${name}" is held; ` +
      (others.length === 0
        ? `it has none (${program} status lists those of all feeds)`
        : `held are: ${others.map((one) => `"${nameOf(one)}"`).join(", ")}`)
  })
})

const textOf = (value: number | null): string => (value === null ? "no value" : String(value))

/** The name that means every held reading of a plugin. */
const everyReading = "all"

/** The faults that a name means: of one reading that one, of `all` those of the plugin. */
const faultsNamed = Effect.fnUntraced(function* (plugin: string, name: string) {
  if (name !== everyReading) return faultsOf([yield* readingOf(plugin, name)])
  const faults = faultsOf((yield* withheld(20_000)).filter((one) => one.plugin === plugin))
  if (faults.length > 0) return faults
  return yield* new UsageError({
    message: `no reading of ${plugin} is held (${program} status lists those of all feeds)`
  })
})

const heldText = (reading: Withheld): string => {
  const { accepted, as_of, incident, reason, since, value } = reading
  return [
    `${nameOf(reading)}, held since ${since} (incident ${incident})`,
    `  held      ${textOf(value)}  of ${as_of}`,
    `  served    ${accepted === undefined ? "no value" : `${accepted.value}  of ${accepted.as_of}`}`,
    `  because   ${reason}`
  ].join("\n")
}

const faultText = ({ all, first }: HeldFault): string =>
  all.length === 1
    ? heldText(first)
    : [
        `${all.length} series held by one fault since ${first.since} (incident ${first.incident})`,
        ...all.map(heldText)
      ].join("\n")

const show = Effect.fnUntraced(function* (plugin: string, name: string) {
  yield* Console.log((yield* faultsNamed(plugin, name)).map(faultText).join("\n\n"))
})

const release = Effect.fnUntraced(function* (plugin: string, name: string) {
  const incidents = yield* Incidents
  for (const { all, first } of yield* faultsNamed(plugin, name)) {
    for (const { as_of, incident, value } of all)
      yield* incidents.close(incident, `an operator looked at ${textOf(value)} of ${as_of} and confirmed it`)
    yield* Console.log(
      all.length === 1
        ? `incident ${first.incident} is closed; its readings are served`
        : `incident ${first.incident} is closed; the readings of its ${all.length} series are served`
    )
  }
})

const released = Effect.fnUntraced(function* (plugin: string, name: string, yes: boolean) {
  const argv = ["confirm", plugin, "--held", name]
  const releasing = operate(release(plugin, name), [...argv, "--yes"])
  if (Option.isSome(yield* Inside)) return yield* yes ? releasing : operate(show(plugin, name), argv)
  yield* operate(show(plugin, name), argv)
  const question = name === everyReading ? "Are all of these held values right?" : "Is the held value right?"
  if (!(yield* agreed(question, yes))) {
    return yield* refused("the reading stays held; a second source or later runs may still release it")
  }
  yield* releasing
})

/** The series in doubt that a name means. Says which are, if it is none of them. */
const doubtOf = Effect.fnUntraced(function* (plugin: string, name: string) {
  const all = yield* doubtful(plugin)
  const named = all.find((one) => nameOf(one) === name.trim().split(/\s+/).join(" "))
  if (named !== undefined) return named
  return yield* new UsageError({
    message:
      `no levels of ${plugin} named "${name}" are in doubt; ` +
      (all.length === 0 ? "it has none" : `in doubt are: ${all.map((one) => `"${nameOf(one)}"`).join(", ")}`)
  })
})

const showLevels = Effect.fnUntraced(function* (plugin: string, name: string) {
  const series = yield* doubtOf(plugin, name)
  const { after, before, since } = series.stated
  yield* Console.log(
    [
      `${nameOf(series)}, two levels in doubt since ${since}`,
      `  before    ${before.value}  of ${before.as_of}`,
      `  after     ${after.value}  of ${after.as_of}`,
      `  served    ${textOf(series.value)}`
    ].join("\n")
  )
})

const settle = Effect.fnUntraced(function* (plugin: string, name: string) {
  const { series } = yield* doubtOf(plugin, name)
  yield* (yield* Incidents).decide(series)
  yield* Console.log("decided: the values that are served are no longer in doubt")
})

const decided = Effect.fnUntraced(function* (plugin: string, name: string, yes: boolean) {
  const argv = ["confirm", plugin, "--level", name]
  const deciding = operate(settle(plugin, name), [...argv, "--yes"])
  if (Option.isSome(yield* Inside)) return yield* yes ? deciding : operate(showLevels(plugin, name), argv)
  yield* operate(showLevels(plugin, name), argv)
  if (!(yield* agreed("Is the level that is served right?", yes))) {
    return yield* refused(
      "the levels stay in doubt; if the served one is wrong, plumbline incident open takes its readings away"
    )
  }
  yield* deciding
})

/** Exactly one plugin, for what is of one. */
const onePlugin = (plugins: ReadonlyArray<string>, flag: string) => {
  const [plugin] = plugins
  return plugin !== undefined && plugins.length === 1
    ? Effect.succeed(plugin)
    : Effect.fail(new UsageError({ message: `${flag} is of one plugin: name it` }))
}

const loadSheet = Effect.promise(() => import("./confirmSheet.ts"))

/** `plumbline confirm`: what a person has looked at. */
export const confirm = Command.make(
  "confirm",
  {
    plugins: Argument.String("plugin").pipe(
      Argument.withDescription("Folder names of plugins. None or several: the sheet of what waits of them"),
      Argument.variadic()
    ),
    held: Flag.String("held").pipe(
      Flag.withDescription(
        'A reading that is held back, as "<symbol> <metric> <source>", or all of the plugin: shows each beside the one that is served, and serves it'
      ),
      Flag.optional
    ),
    level: Flag.String("level").pipe(
      Flag.withDescription(
        'A series of which two levels are in doubt, as "<symbol> <metric> <source>": shows both, and says that the served one is right'
      ),
      Flag.optional
    ),
    because: Flag.String("because").pipe(
      Flag.withDescription(
        "Confirm the named feeds for this reason, which the log keeps, without asking their upstreams again"
      ),
      Flag.optional
    ),
    series: Flag.String("series").pipe(
      Flag.withDescription('With --because: only this figure of the feed, as "<symbol> <metric> <source>"'),
      Flag.atLeast(0)
    ),
    html: Flag.String("html").pipe(
      Flag.withDescription("Write the sheet as a page to this file"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the sheet as JSON"), Flag.withDefault(false)),
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Confirm without asking, for example after looking at the report of a probe"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ because, held: reading, html, json, level, plugins, series, yes }) {
    if (Option.isSome(reading) && Option.isSome(level)) {
      return yield* new UsageError({
        message: "--held and --level are about different readings: pass one of them"
      })
    }
    if (Option.isSome(level)) return yield* decided(yield* onePlugin(plugins, "--level"), level.value, yes)
    if (Option.isSome(reading))
      return yield* released(yield* onePlugin(plugins, "--held"), reading.value, yes)
    const [plugin] = plugins
    if (
      plugin !== undefined &&
      plugins.length === 1 &&
      Option.isNone(because) &&
      Option.isNone(html) &&
      !json
    )
      return yield* confirmed(plugin, yes)
    const { decide, overSheet, printJson, writePage } = yield* loadSheet
    if (Option.isSome(because)) return yield* decide(plugins, series, because.value)
    if (json) return yield* printJson(plugins)
    if (Option.isSome(html)) return yield* writePage(plugins, html.value)
    if (yes)
      return yield* new UsageError({ message: "several feeds are confirmed for a reason: add --because" })
    yield* overSheet(plugins)
  }, Effect.provide(Settings.layer))
).pipe(
  Command.withDescription(
    "Look at feeds that are marked unconfirmed, and confirm them. Without a name, or with several: the sheet of what waits, figure by figure, the oddest first; on a terminal a key confirms what is chosen on a screen, for the reason that the key has. With one name: runs the plugin once against its upstream, shows the report of the probe, asks, keeps the answers as a captured case in DATA_DIR/captured, and takes the mark from its values. With --held: serve a reading that a guard holds back, after showing both values. With --level: say that the served one of two levels is right. Exits with 0 if it is confirmed, 1 if not"
  ),
  Command.withShortDescription("Confirm feeds, or a reading that is held back, after looking at them")
)
