import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Incidents } from "../../core/data/ingest/Incidents.ts"
import { time } from "../../core/plugin/Upstream.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { UsageError } from "../cli/usage.ts"

const timeOf = (flag: string, text: string) => {
  const ms = time(text)
  return ms === undefined
    ? Effect.fail(new UsageError({ message: `${flag} wants an ISO 8601 time, not ${text}` }))
    : Effect.succeed(ms)
}

const open = Command.make(
  "open",
  {
    symbol: Argument.String("symbol").pipe(Argument.withDescription("Network, exact in case")),
    metric: Argument.String("metric").pipe(Argument.withDescription("As /v1/network names it")),
    source: Flag.String("source").pipe(Flag.withDescription("One feed; default all"), Flag.optional),
    from: Flag.String("from").pipe(Flag.withDescription("ISO 8601: as_of of the first reading to exclude")),
    to: Flag.String("to").pipe(
      Flag.withDescription("ISO 8601: as_of of the last; default: until the incident is closed"),
      Flag.optional
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Kept with the incident, for operators"))
  },
  Effect.fnUntraced(function* ({ from, metric, reason, source, symbol, to }) {
    const start = yield* timeOf("--from", from)
    const end = Option.isSome(to) ? yield* timeOf("--to", to.value) : Date.UTC(2999, 0)
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
        yield* Console.log(`incident ${id} is open; its readings are kept, flagged, and no longer served`)
      })
    )
  })
).pipe(Command.withDescription("Exclude readings until somebody looked at them"))

const close = Command.make(
  "close",
  {
    id: Argument.Int("id").pipe(Argument.withDescription("Number of the incident")),
    note: Flag.String("note").pipe(Flag.withDescription("What was found"))
  },
  ({ id, note }) =>
    operate(
      Effect.gen(function* () {
        yield* (yield* Incidents).close(id, note)
        yield* Console.log(`incident ${id} is closed; its readings are served again`)
      })
    )
).pipe(Command.withDescription("End an incident: its readings are accepted again"))

const list = Command.make(
  "list",
  {
    all: Flag.Boolean("all").pipe(Flag.withDescription("Closed ones too"), Flag.withDefault(false)),
    json: asJson
  },
  ({ all, json }) =>
    operate(
      Effect.gen(function* () {
        const found = yield* (yield* Incidents).list(!all, 1000)
        if (json) return yield* Console.log(JSON.stringify(found))
        if (found.length === 0) return yield* Console.log("no open incident")
        for (const { closed_at, from_as_of, id, kind, metric, reason, symbol } of found) {
          yield* Console.log(
            `${id}  ${symbol} ${metric}  ${kind}, ${closed_at === null ? "open" : "closed"}, from ${isoTime(from_as_of.getTime())}: ${reason}`
          )
        }
      })
    )
).pipe(Command.withDescription("Open incidents, newest first"))

/** `plumbline incident`: readings that are kept and not served. */
export const incident = Command.make("incident").pipe(
  Command.withDescription("Hold readings back, and let them go again"),
  Command.withSubcommands([open, close, list])
)
