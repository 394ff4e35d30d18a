import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { addReport, reports, settleReport } from "../../core/publications/reports.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))

const add = Command.make(
  "add",
  {
    symbol: Argument.String("symbol").pipe(Argument.withDescription("Symbol of the network (e.g. FIL)")),
    metric: Argument.String("metric").pipe(Argument.withDescription("Metric, as /v1/network lists it")),
    day: Flag.String("day").pipe(Flag.withDescription("UTC day that it is about, YYYY-MM-DD"), Flag.optional),
    what: Flag.String("what").pipe(
      Flag.withDescription("What was reported, in words that name nobody; published")
    )
  },
  Effect.fnUntraced(function* ({ day, metric, symbol, what }) {
    if (Option.isSome(day) && !isDay(day.value))
      return yield* new UsageError({
        message: `--day: "${day.value}" is not a day (expected e.g. 2026-09-05)`
      })
    yield* operate(
      Effect.gen(function* () {
        const id = yield* addReport({
          symbol,
          metric,
          what,
          ...(Option.isSome(day) ? { day: day.value } : {})
        })
        yield* Console.log(
          `report ${id} is open and on /corrections; once you know: report settle ${id} --outcome … --note …`
        )
      })
    )
  })
).pipe(Command.withDescription("Enter a report that a figure is wrong"))

const settle = Command.make(
  "settle",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("Report number")),
    outcome: Flag.Literals("outcome", ["corrected", "right_as_published", "upstream_wrong"]).pipe(
      Flag.withDescription("What came of it")
    ),
    note: Flag.String("note").pipe(Flag.withDescription("What you found; published with the report"))
  },
  ({ id, note, outcome }) =>
    operate(
      Effect.andThen(settleReport(id, outcome, note), Console.log(`report ${id} is settled: ${outcome}`))
    )
).pipe(Command.withDescription("Say what came of a report"))

const list = Command.make("list", { json: asJson }, ({ json }) =>
  operate(
    Effect.gen(function* () {
      const all = yield* reports(1000)
      if (json) return yield* Console.log(JSON.stringify(all))
      if (all.length === 0) return yield* Console.log("no reports")
      for (const { id, metric, outcome, received_utc, symbol, what } of all)
        yield* Console.log(`${id}  ${symbol} ${metric}  ${outcome}, of ${received_utc.slice(0, 10)}: ${what}`)
    })
  )
).pipe(Command.withDescription("List reports, newest first"))

/** `plumbline report`: what readers reported, and what came of it. */
export const report = Command.make("report").pipe(
  Command.withDescription("Enter what readers report as wrong, and what came of it"),
  Command.withSubcommands([add, settle, list])
)
