/**
 * Rules for the times of rows: a time that an answer states for its data but no row uses, so that rows are dated by when
 * they were read; and midnight, which dates a value about a finished day to the next day.
 */
import { Effect } from "effect"
import { type Manifest, metricNamed } from "../../../core/plugin/Manifest.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import { day } from "../../../core/plugin/time.ts"
import type { Exchange } from "../../../core/plugin/Upstream.ts"
import { parseTime } from "../../../core/plugin/Value.ts"
import type { Tape } from "../../upstream/replay.ts"
import { type Finding, note, wrong } from "./Finding.ts"
import { parsed, put, withPayload } from "./fields.ts"

/** Names of such fields, in lower case without underscores: updated_at, lastUpdate, generatedAt, timestamp, asOf. */
const saysWhen =
  /^(last)?(updated?|refreshed|generated|computed|measured)(at|on|time|date|utc|ts|timestamp)?$|^(timestamp|asof|datatime)$/

const isSaying = (key: string): boolean => saysWhen.test(key.replaceAll("_", "").toLowerCase())

/** The field a day earlier, in the same format; undefined unless it is a time shortly before `at`. */
const dayBefore = (value: unknown, at: number): unknown => {
  const recent = (ms: number) => ms > at - 30 * day && ms <= at + day
  if (typeof value === "number") {
    if (recent(value)) return value - day
    return recent(value * 1000) ? value - day / 1000 : undefined
  }
  const ms = typeof value === "string" ? parseTime(value) : undefined
  return ms !== undefined && recent(ms) ? new Date(ms - day).toISOString() : undefined
}

/** Fields of the answer and of its objects, but not of lists, where a time belongs to its entry. */
export const timesIn = (
  payload: unknown,
  above: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> =>
  typeof payload !== "object" || payload === null || Array.isArray(payload) || above.length === 3
    ? []
    : Object.entries(payload).flatMap(([key, value]) => [
        ...(isSaying(key) ? [[...above, key]] : []),
        ...timesIn(value, [...above, key])
      ])

const valueAt = (payload: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], payload)

/** True if a row has only the time of the exchange. */
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
  const findings = new Map<string, Finding>()
  const before = JSON.stringify(rows)
  for (const [index, exchange] of tape.exchanges.entries()) {
    if (!isDatedByReading(rows, exchange)) continue
    const payload = parsed(exchange.body)
    for (const path of timesIn(payload)) {
      const field = path.join(".")
      const earlier = dayBefore(valueAt(payload, path), exchange.at)
      if (earlier === undefined || findings.has(field)) continue
      const changed = yield* replay(withPayload(tape, index, put(payload, path, earlier)))
      if (JSON.stringify(changed) !== before) continue
      findings.set(
        field,
        note(
          where,
          `the answer says in ${field} when its data was true, but no row uses it`,
          "pass it as as_of if it is the time of the values; otherwise say in README.md what it is"
        )
      )
    }
  }
  return [...findings.values()]
})

/** Names and meanings of metrics about a whole day or several: fees_24h_usd, "of the newest UTC day that is over". */
const isOfDays = (name: string, meaning: string): boolean =>
  /_(\d+[dh]|daily|epoch)(_|$)/.test(name) || /\bday\b/i.test(meaning)

/** Rows that are true at midnight exactly. Of a metric that is not about days, it may be the time of a snapshot. */
export const midnights = (where: string, { metrics }: Manifest, rows: Expected): ReadonlyArray<Finding> => {
  if ("error" in rows) return []
  const atMidnight = rows.observations.filter(({ as_of }) => /T00:00:00(\.000)?Z$/.test(as_of))
  return [...Map.groupBy(atMidnight, ({ metric }) => metric)].map(([metric, [row]]) => {
    const isDaily = isOfDays(metric, metricNamed(metrics, metric)?.meaning ?? "")
    return (isDaily ? wrong : note)(
      where,
      `as_of of ${metric} is midnight, ${row?.as_of}, which belongs to the next day`,
      "date a value about a finished day by its last millisecond: endOfDay of #plugin"
    )
  })
}
