/** Compares kept values or a saved answer with what the service published. */
import { Effect } from "effect"
import { parseTime } from "../../plugin/Value.ts"
import { utf8 } from "../../proof/bytes.ts"
import { allHold } from "../../proof/check.ts"
import { verifyBundle } from "../../proof/verifyBundle.ts"
import { verifyResponse } from "../../proof/verifyResponse.ts"
import { network as latestOf } from "../../readings/read/network.ts"
import { knownSymbol, readDay } from "../../readings/read/parameters.ts"
import type { FootprintResponse, FootprintResult, KeptValue, SavedAnswer } from "../../wire/log/footprint.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { attest } from "./attest.ts"
import { bundle } from "./bundle.ts"
import { evidence } from "./evidence.ts"
import { publishedKeys } from "./keys.ts"
import { checkOf } from "./verification.ts"

/** Limit per call: each value costs a handful of queries. */
export const mostValues = 25

/** Fails with `BadParameter` if there is nothing to check or the saved body is not JSON. */
export const footprint = Effect.fn("Log.footprint")(function* (params: {
  readonly values?: ReadonlyArray<KeptValue> | undefined
  readonly response?: typeof SavedAnswer.Type | undefined
}) {
  const { response: saved } = params
  if ((saved === undefined) === (params.values === undefined)) {
    return yield* new BadParameter({
      field: "values",
      message:
        "values: pass either values, a list of {symbol, metric, value, as_of}, or response, a saved answer."
    })
  }
  if (params.values?.length === 0) {
    return yield* new BadParameter({
      field: "values",
      message: `values is empty, so nothing holds or fails. Send 1 to ${mostValues} values.`,
      valid: `1 to ${mostValues} values`
    })
  }
  const all = saved === undefined ? (params.values ?? []) : yield* savedValuesIn(saved.body)
  const looked = all.slice(0, mostValues)
  const values = yield* Effect.forEach(looked, resultOf)
  const answer = saved === undefined ? undefined : yield* answerChecks(saved)
  const counts: Record<string, number> = {}
  for (const { result } of values) counts[result] = (counts[result] ?? 0) + 1
  const footprintResponse: FootprintResponse = {
    all_hold:
      values.every(({ result }) => result === "proved" || result === "served") &&
      (answer === undefined || answer.every(({ result }) => result !== "fails")),
    n_values: values.length,
    counts,
    values,
    ...(answer === undefined ? {} : { answer }),
    ...(all.length > looked.length
      ? {
          left_out: `${all.length - looked.length} of ${all.length} values: at most ${mostValues} in a call; send the others in another.`
        }
      : {})
  }
  return footprintResponse
})

const answerChecks = Effect.fnUntraced(function* (saved: typeof SavedAnswer.Type) {
  return verifyResponse(
    {
      status: 200,
      headers: { "x-service-timestamp": saved.timestamp, "x-service-signature": saved.signature },
      body: utf8(saved.body),
      request: { method: "GET", authority: undefined, path: saved.path, query: undefined }
    },
    { keys: yield* publishedKeys }
  ).map(checkOf)
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const savedValue = (
  symbol: unknown,
  metric: unknown,
  from: Readonly<Record<string, unknown>>
): ReadonlyArray<KeptValue> => {
  const { as_of, date, source, value } = from
  if (typeof symbol !== "string" || typeof metric !== "string" || typeof value !== "number") return []
  return [
    {
      symbol,
      metric,
      value,
      ...(typeof source === "string" ? { source } : {}),
      ...(typeof as_of === "string" ? { as_of } : {}),
      ...(typeof date === "string" ? { date } : {})
    }
  ]
}

/** Every value in one of our answers: value rows anywhere, keyed supply, and history points. */
const savedValuesIn = Effect.fnUntraced(function* (body: string) {
  const parsed = yield* Effect.try({
    try: (): unknown => JSON.parse(body),
    catch: () => new BadParameter({ field: "response.body", message: "response.body must be JSON." })
  })
  const values: Array<KeptValue> = []
  const walk = (value: unknown, depth: number): void => {
    if (!isObject(value) || depth > 8) return
    if (Array.isArray(value)) {
      for (const item of value) walk(item, depth + 1)
      return
    }
    const own = savedValue(value["symbol"], value["metric"], value)
    values.push(...own)
    if (own.length > 0) return
    const { data, network, supply } = value
    if (typeof network === "string" && isObject(supply)) {
      for (const [metric, member] of Object.entries(supply)) {
        if (isObject(member)) values.push(...savedValue(network, metric, member))
      }
      return
    }
    if (isObject(data) && value["source_table"] !== undefined) {
      for (const [symbol, metrics] of Object.entries(data)) {
        for (const [metric, series] of Object.entries(isObject(metrics) ? metrics : {})) {
          if (!isObject(series) || !Array.isArray(series["points"])) continue
          for (const point of series["points"]) {
            if (isObject(point))
              values.push(...savedValue(symbol, metric, { ...point, source: series["source"] }))
          }
        }
      }
      return
    }
    for (const member of Object.values(value)) walk(member, depth + 1)
  }
  walk(parsed, 0)
  return values
})

const dayOf = ({ as_of, date }: KeptValue): string | undefined => {
  if (as_of === undefined) return date === undefined ? undefined : (readDay(date) ?? date)
  const time = parseTime(as_of)
  return time === undefined ? undefined : new Date(time).toISOString().slice(0, 10)
}

/** True for the same instant, however it is written. */
const sameTime = (a: string | undefined, b: string): boolean =>
  a === undefined || parseTime(a) === parseTime(b)

const resultOf = Effect.fnUntraced(function* (value: KeptValue) {
  const day = dayOf(value)
  const says = (result: FootprintResult["result"], detail: string, published?: number): FootprintResult => ({
    symbol: value.symbol,
    metric: value.metric,
    value: value.value,
    ...(day === undefined ? {} : { date: day }),
    result,
    ...(published === undefined ? {} : { published }),
    detail
  })
  const outcome = yield* inBatch(value, day, says).pipe(
    Effect.catchTag("NotAttested", () => inLatest(value, says)),
    Effect.catchTag(["UnknownSymbol", "BadParameter"], (error) =>
      Effect.succeed(says("unknown", error.message))
    )
  )
  return outcome
})

type Says = (result: FootprintResult["result"], detail: string, published?: number) => FootprintResult

const inBatch = Effect.fnUntraced(function* (value: KeptValue, day: string | undefined, says: Says) {
  if (day === undefined) return yield* inLatest(value, says)
  const params = {
    symbol: yield* knownSymbol("symbol", value.symbol),
    metric: value.metric,
    date: day.replaceAll("-", ""),
    source: value.source
  }
  const attested = yield* attest(params)
  const [newest, ...older] = attested.versions
  if (newest === undefined) return yield* Effect.die("an attested value has no version")
  const file = yield* bundle(params)
  const isNewest = newest.value === value.value && sameTime(value.as_of, newest.as_of)
  const line = (file.readings ?? []).find((reading) => {
    const [at = "", number = ""] = reading.split("|")
    return value.as_of !== undefined && sameTime(value.as_of, at) && Number(number) === value.value
  })
  if (isNewest || line !== undefined) {
    const { checks } = verifyBundle(file, {
      evidence: yield* evidence({ ...params, size: file.log.size }),
      about: { symbol: params.symbol, metric: params.metric, day },
      network: file.anchor.network
    })
    return allHold(checks)
      ? says(
          "proved",
          `${isNewest ? "The day's value" : "A reading of the day"}, version ${newest.version}, in the batch of ${newest.batch_day}; anchor ${file.anchor.status}.` +
            (file.excluded === undefined
              ? ""
              : ` Incident ${file.excluded.incident} excludes it: ${file.excluded.reason}`)
        )
      : says("differs", checks.find(({ ok }) => ok === false)?.detail ?? "A check failed.", newest.value)
  }
  const before = older.find((one) => one.value === value.value && sameTime(value.as_of, one.as_of))
  return before === undefined
    ? says(
        "differs",
        `The value published for ${day} is ${newest.value}, as of ${newest.as_of}.`,
        newest.value
      )
    : says(
        "superseded",
        `Version ${before.version}; version ${newest.version} (${newest.kind}) followed it.`,
        newest.value
      )
})

const inLatest = Effect.fnUntraced(function* (value: KeptValue, says: Says) {
  const rows = (yield* latestOf(value.symbol)).filter(
    ({ metric, source }) => metric === value.metric && (value.source === undefined || source === value.source)
  )
  const [first] = rows
  if (first === undefined)
    return says("unknown", "Nothing was published for that day, and no value is served now.")
  const same = rows.find((row) => row.value === value.value && sameTime(value.as_of, row.as_of))
  if (same !== undefined)
    return says("served", `The latest value, as of ${same.as_of}; it is not in a batch yet.`)
  return value.as_of === undefined && value.date === undefined
    ? says("differs", `The latest value is ${first.value}, as of ${first.as_of}.`, first.value)
    : says("unknown", "Nothing was published for that day, and the latest value differs.", first.value)
})
