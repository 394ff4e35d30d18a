/** Compares what the service serves of a closed day with the leaves of that day. */

import { bundle4Tag } from "../../../../../core/proof/bundle.ts"
import { fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import { isRecord } from "../../../../../core/proof/canonical.ts"
import { type Get, reasonOf } from "../../../../../core/proof/fetched.ts"
import { type Finding, unread } from "../../../../../core/proof/finding.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import type { RowLeaf } from "../../../../../core/proof/leaf.ts"
import { verifyValue } from "../../../../../core/proof/remote.ts"
import { hour } from "../../../../../core/proof/time.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import { SourceUnreachable } from "./source.ts"
import type { Doubt } from "./state.ts"

/** A service beside its log, and how it is asked. */
export interface Service {
  readonly get: Get
  readonly base: string
  /** Its own authority, where it is reached under another. */
  readonly authority?: string
}

/** The value of a series and day as a leaf publishes it. */
export type Published = Pick<
  RowLeaf,
  "symbol" | "metric" | "source" | "day" | "value" | "value_text" | "n_observations"
>

interface Point {
  readonly value: unknown
  readonly value_text: unknown
  readonly n_observations: unknown
}

const saysOf = (value: unknown, text: unknown): string =>
  typeof text === "string" ? text : JSON.stringify(value)

const json = async (get: Get, url: string): Promise<Readonly<Record<string, unknown>>> => {
  const answer = await get(url)
  if (answer.status !== 200)
    throw new SourceUnreachable(`${url} returned ${answer.status}${reasonOf(answer)}`)
  try {
    const body = parseJson(fromUtf8(answer.body))
    if (isRecord(body)) return body
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  throw new SourceUnreachable(`${url} did not return a JSON object`)
}

const member = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const queryOf = (members: Readonly<Record<string, string>>): string =>
  Object.entries(members)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")

/** The newest leaf of each series and day that is served: not set aside by an incident, not withdrawn. */
export const servedLeaves = (rows: ReadonlyArray<RowLeaf>): ReadonlyArray<RowLeaf> => {
  const newest = new Map<string, RowLeaf>()
  for (const row of rows) {
    if (row.excluded_by === undefined)
      newest.set(JSON.stringify([row.symbol, row.metric, row.source, row.day]), row)
  }
  return [...newest.values()].filter(({ n_observations }) => n_observations > 0)
}

/** What a network's history says of one metric; only of the source that is served. */
interface Served {
  readonly source: unknown
  readonly points: ReadonlyMap<string, Point | "excluded">
}

/** The history of a network by metric, over the last days. */
export type History = ReadonlyMap<string, Served>

export const historyOf = async (get: Get, base: string, symbol: string, days: number): Promise<History> => {
  const history = new Map<string, Served>()
  let cursor: string | undefined
  do {
    const query = queryOf({
      network: symbol,
      days: String(days),
      ...(cursor === undefined ? {} : { cursor })
    })
    const page = await json(get, `${base}/v1/history?${query}`)
    for (const [metric, series] of Object.entries(Object(member(member(page, "data"), symbol)))) {
      const points = new Map<string, Point | "excluded">()
      for (const date of list(member(series, "excluded_dates"))) points.set(String(date), "excluded")
      for (const point of list(member(series, "points"))) {
        points.set(String(member(point, "date")), {
          value: member(point, "value"),
          value_text: member(point, "value_text"),
          n_observations: member(point, "n_observations")
        })
      }
      history.set(metric, { source: member(series, "source"), points })
    }
    const next = member(page, "next_cursor")
    cursor = typeof next === "string" && next !== cursor ? next : undefined
  } while (cursor !== undefined)
  return history
}

/** True if the service lists a revision to this value, which the next batch must publish. */
const isRevised = async (get: Get, base: string, leaf: Published, value: unknown): Promise<boolean> => {
  const query = queryOf({ symbol: leaf.symbol, metric: leaf.metric, limit: "500" })
  const { revisions } = await json(get, `${base}/v1/revisions?${query}`)
  return list(revisions).some(
    (one) =>
      member(one, "source") === leaf.source &&
      String(member(one, "as_of")).startsWith(leaf.day) &&
      member(one, "after_value") === value
  )
}

/** How a served value and its leaf go together. */
export type Compared = { readonly finding: Finding } | { readonly doubt: Doubt } | undefined

/**
 * Compares a network's history with a leaf. A value that may be a change not yet published becomes a doubt, unless `strict`.
 * `closed` is the day of the newest batch.
 */
export const compare = async (
  service: Service,
  history: History,
  leaf: Published,
  { closed, strict }: { readonly closed: string; readonly strict: boolean }
): Promise<Compared> => {
  const series = history.get(leaf.metric)
  // A metric of several sources serves one of them.
  if (series === undefined || series.source !== leaf.source) return undefined
  const point = series.points.get(leaf.day)
  if (point === "excluded") return undefined
  const { day, metric, n_observations, source, symbol, value, value_text } = leaf
  if (point !== undefined && point.value === value && point.value_text === value_text) return undefined
  const isPending =
    !strict &&
    point !== undefined &&
    (point.n_observations !== n_observations ||
      (await isRevised(service.get, service.base, leaf, point.value)))
  if (isPending) {
    const text = value_text === undefined ? {} : { value_text }
    return { doubt: { symbol, metric, source, day, value, ...text, n_observations, closed } }
  }
  return {
    finding: {
      what: "history",
      where: `${symbol} ${metric} of ${source} on ${day}`,
      expected: `${saysOf(value, value_text)}, as in the leaf`,
      found: point === undefined ? "no value" : saysOf(point.value, point.value_text),
      reason: point === undefined ? "missing" : "contradiction"
    }
  }
}

/** A metric and day that the history has a value of. */
export const placesIn = (history: History): ReadonlyArray<readonly [metric: string, day: string]> =>
  [...history].flatMap(([metric, { points }]) =>
    [...points].flatMap(([day, point]) => (point === "excluded" ? [] : [[metric, day] as const]))
  )

/** Verifies the proof that the service gives for a published value; the leaf if it holds. */
export const attested = async (
  { authority, base, get }: Service,
  { day, metric, symbol }: { readonly symbol: string; readonly metric: string; readonly day: string },
  trust: Trust
): Promise<{ readonly findings: ReadonlyArray<Finding>; readonly leaf?: RowLeaf }> => {
  const about = { what: "attest", where: `${symbol} ${metric} on ${day}`, expected: "a proof that holds" }
  try {
    const params = { symbol, metric, date: day.replaceAll("-", "") }
    const { answer, bundle, verdict } = await verifyValue(get, base, params, {
      ...trust,
      ...(authority === undefined ? {} : { authority })
    })
    const failed = [...answer, ...verdict.checks].find(({ ok }) => ok === false)
    if (failed?.ok === false)
      return { findings: [{ ...about, found: `${failed.name}: ${failed.detail}`, reason: failed.reason }] }
    const { checks, leaf } = verdict
    if (leaf === undefined || leaf.kind === "absent") return { findings: [] }
    const run = checks.find(({ name, ok }) => name === "run" && ok === "not proved")
    // An hour is entered some minutes after its end. The demo of an earlier release has no runs in its log.
    const isDue = trust.now === undefined || Date.parse(leaf.recorded_at) < trust.now - 2 * hour
    const findings =
      run?.ok === "not proved" && isDue && (bundle.v === bundle4Tag || leaf.simulated !== true)
        ? [
            {
              ...about,
              what: "run",
              expected: "a run that gave the value",
              found: run.detail,
              reason: run.reason
            }
          ]
        : []
    return { findings, leaf }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return { findings: [unread(about, error)] }
  }
}
