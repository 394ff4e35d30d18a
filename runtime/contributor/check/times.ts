/** A time that an answer states of its own data, and that no row takes: such rows are dated when they were read. */
import { Effect } from "effect"
import type { Expected } from "../../../core/plugin/Recording.ts"
import type { Exchange } from "../../../core/plugin/Upstream.ts"
import { parseTime } from "../../../core/plugin/Value.ts"
import type { Tape } from "../../upstream/replay.ts"
import { type Finding, note } from "./Finding.ts"
import { parsed, put, withPayload } from "./fields.ts"

const day = 86_400_000

/** Names of such a field, without underscores and in lower case: updated_at, lastUpdate, generatedAt, timestamp, asOf. */
const saysWhen =
  /^(last)?(updated?|refreshed|generated|computed|measured)(at|on|time|date|utc|ts|timestamp)?$|^(timestamp|asof|datatime)$/

const isSaying = (key: string): boolean => saysWhen.test(key.replaceAll("_", "").toLowerCase())

/** The same field a day earlier, in the form it has; undefined for what is no time of the days before `at`. */
const dayBefore = (value: unknown, at: number): unknown => {
  const recent = (ms: number) => ms > at - 30 * day && ms <= at + day
  if (typeof value === "number") {
    if (recent(value)) return value - day
    return recent(value * 1000) ? value - day / 1000 : undefined
  }
  const ms = typeof value === "string" ? parseTime(value) : undefined
  return ms !== undefined && recent(ms) ? new Date(ms - day).toISOString() : undefined
}

/** Fields of the answer itself and of the objects in it: one inside of a list is of its entry. */
const fieldsOf = (
  payload: unknown,
  above: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> =>
  typeof payload !== "object" || payload === null || Array.isArray(payload) || above.length === 3
    ? []
    : Object.entries(payload).flatMap(([key, value]) => [
        ...(isSaying(key) ? [[...above, key]] : []),
        ...fieldsOf(value, [...above, key])
      ])

const valueAt = (payload: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], payload)

/** True where a row has the time of the exchange and no better one. */
const isDatedByReading = (rows: Expected, { at, headers }: Exchange): boolean => {
  const times = new Set([at, Date.parse(headers["date"] ?? "")])
  return "observations" in rows && rows.observations.some(({ as_of }) => times.has(Date.parse(as_of)))
}

/** `replay` gives the rows of a tape, `rows` are those of this one. */
export const unreadTimes = Effect.fnUntraced(function* (
  where: string,
  tape: Tape,
  rows: Expected,
  replay: (tape: Tape) => Effect.Effect<Expected>
) {
  const found = new Map<string, Finding>()
  const before = JSON.stringify(rows)
  for (const [index, exchange] of tape.exchanges.entries()) {
    if (!isDatedByReading(rows, exchange)) continue
    const payload = parsed(exchange.body)
    for (const path of fieldsOf(payload)) {
      const field = path.join(".")
      const earlier = dayBefore(valueAt(payload, path), exchange.at)
      if (earlier === undefined || found.has(field)) continue
      const changed = yield* replay(withPayload(tape, index, put(payload, path, earlier)))
      if (JSON.stringify(changed) !== before) continue
      found.set(
        field,
        note(
          where,
          `the answer says when its data was true, in ${field}, and no row takes it`,
          "give it as as_of where it is the time of the values; else say in README.md what it is"
        )
      )
    }
  }
  return [...found.values()]
})
