import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { isoTime, parseTime } from "../../core/plugin/Value.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { endless } from "../../core/readings/ingest/write/exclusions.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"

const timeOf = (flag: string, text: string) => {
  const ms = parseTime(text)
  return ms === undefined
    ? Effect.fail(
        new UsageError({
          message: `${flag}: "${text}" is not an ISO 8601 time (expected e.g. 2026-09-05T11:00:00Z)`
        })
      )
    : Effect.succeed(ms)
}

const open = Command.make(
  "open",
  {
    symbol: Argument.String("symbol").pipe(Argument.withDescription("Symbol of the network (e.g. FIL)")),
    metric: Argument.String("metric").pipe(Argument.withDescription("Metric, as /v1/network lists it")),
    source: Flag.String("source").pipe(Flag.withDescription("One source (default: all)"), Flag.optional),
    from: Flag.String("from").pipe(
      Flag.withDescription("ISO 8601 time: as_of of the first reading to exclude")
    ),
    to: Flag.String("to").pipe(
      Flag.withDescription("ISO 8601 time: as_of of the last one (default: until the incident is closed)"),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Why; published with the incident"))
  },
  Effect.fnUntraced(function* ({ from, metric, reason, source, symbol, to }) {
    const start = yield* timeOf("--from", from)
    const end = Option.isSome(to) ? yield* timeOf("--to", to.value) : endless
    yield* operate(
      Effect.gen(function* () {
        const incidents = yield* Incidents
        const range = {
          symbol,
          metric,
          from: start,
          to: end,
          ...(Option.isSome(source) ? { source: source.value } : {})
        }
        const id = yield* incidents.open(range, reason)
        yield* Console.log(
          `incident ${id} is open; its readings stay stored and flagged, but are no longer served`
        )
      })
    )
  })
).pipe(Command.withDescription("Exclude readings until someone has looked at them"))

const close = Command.make(
  "close",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("Incident number")),
    note: Flag.String("note").pipe(Flag.withDescription("What you found; published with the incident"))
  },
  ({ id, note }) =>
    operate(
      Effect.gen(function* () {
        yield* (yield* Incidents).close(id, note)
        yield* Console.log(`incident ${id} is closed; its readings are served again`)
      })
    )
).pipe(Command.withDescription("Close an incident and serve its readings again"))

const list = Command.make(
  "list",
  {
    all: Flag.Boolean("all").pipe(Flag.withDescription("Include closed incidents"), Flag.withDefault(false)),
    json: asJson
  },
  ({ all, json }) =>
    operate(
      Effect.gen(function* () {
        const incidents = yield* (yield* Incidents).list(!all, 1000)
        if (json) return yield* Console.log(JSON.stringify(incidents))
        if (incidents.length === 0) return yield* Console.log("no open incidents")
        for (const { closed_at, from_as_of, id, kind, metric, reason, symbol } of incidents) {
          yield* Console.log(
            `${id}  ${symbol} ${metric}  ${kind}, ${closed_at === null ? "open" : "closed"}, from ${isoTime(from_as_of.getTime())}: ${reason}`
          )
        }
      })
    )
).pipe(Command.withDescription("List open incidents, newest first"))

/** `plumbline incident`: readings that are stored but not served. */
export const incident = Command.make("incident").pipe(
  Command.withDescription("Exclude readings, and release them again"),
  Command.withSubcommands([open, close, list])
)
