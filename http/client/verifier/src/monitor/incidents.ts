/** The incidents that a log opened and closed, and which leaves they must exclude. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import type { BatchEntry } from "../../../../../core/proof/entry.ts"
import type { IncidentEvent } from "../../../../../core/proof/incidents.ts"
import { clockTolerance, type RowLeaf, type SeriesName } from "../../../../../core/proof/leaf.ts"
import * as s from "../../../../../core/proof/shape.ts"

/** What is remembered of an incident. */
export interface IncidentRecord {
  readonly id: number
  readonly kind: "automatic" | "manual"
  readonly symbol: string
  readonly metric: string
  readonly source?: string
  readonly from: string
  readonly to?: string
  readonly opened: string
  readonly closed?: string
  /** The first and the last `as_of` of the leaves that it excluded. */
  readonly first?: string
  readonly last?: string
}

export const incidentShape: s.Shape<IncidentRecord> = {
  id: s.ordinal,
  kind: s.oneOf("automatic", "manual"),
  symbol: s.name,
  metric: s.name,
  source: s.optional(s.name),
  from: s.time,
  to: s.optional(s.time),
  opened: s.time,
  closed: s.optional(s.time),
  first: s.optional(s.time),
  last: s.optional(s.time)
}

/** Incidents that are remembered; of more, the oldest are forgotten, and then nothing is said about them. */
const most = 10_000

export const newestOf = (records: ReadonlyArray<IncidentRecord>): ReadonlyArray<IncidentRecord> =>
  records.slice(-most)

const ms = (time: string): number => Date.parse(time)

/** True if the incident is about the series. */
export const isOf = (one: Pick<IncidentRecord, "symbol" | "metric" | "source">, leaf: SeriesName): boolean =>
  one.symbol === leaf.symbol &&
  one.metric === leaf.metric &&
  (one.source === undefined || one.source === leaf.source)

const isIn = ({ from, to }: Pick<IncidentRecord, "from" | "to">, time: string): boolean =>
  ms(from) <= ms(time) && (to === undefined || ms(time) <= ms(to))

/** True if an incident of the series was opened or closed when the row was changed. */
export const byIncident = (leaf: RowLeaf, incidents: ReadonlyArray<IncidentRecord>): boolean =>
  incidents.some(
    (one) =>
      isOf(one, leaf) &&
      [one.opened, one.closed].some(
        (at) => at !== undefined && Date.parse(at) === Date.parse(leaf.recorded_at)
      )
  )

/**
 * What is known after an event. `ids` are all incidents that were opened; one that is not among `records` was forgotten. Throws
 * `Malformed` if the event contradicts the ones before.
 */
export const afterEvent = (
  records: ReadonlyArray<IncidentRecord>,
  ids: ReadonlySet<number>,
  event: IncidentEvent
): ReadonlyArray<IncidentRecord> => {
  const { at, from, incident: id, kind, metric, n, source, symbol, to } = event
  const refuse = (message: string): never => {
    throw new Malformed(`event ${n}: ${message}`, "contradiction")
  }
  if (event.event === "opened") {
    if (ids.has(id)) refuse(`incident ${id} was opened before`)
    if (kind === "automatic" && to !== undefined)
      refuse(`incident ${id} is automatic and open, and has \`to\``)
    const of = source === undefined ? {} : { source }
    const until = to === undefined ? {} : { to }
    return [...records, { id, kind, symbol, metric, ...of, from, ...until, opened: at }]
  }
  if (!ids.has(id)) refuse(`incident ${id} is closed, and was never opened`)
  const opening = records.find((one) => one.id === id)
  if (opening === undefined) return records
  if (opening.closed !== undefined) refuse(`incident ${id} was closed before`)
  if (
    opening.kind !== kind ||
    opening.symbol !== symbol ||
    opening.metric !== metric ||
    opening.source !== source
  )
    refuse(`incident ${id} was opened for another series`)
  if (ms(at) < ms(opening.opened) - clockTolerance) refuse(`incident ${id} is closed before it was opened`)
  if (kind === "manual" && (opening.from !== from || (opening.to !== undefined && opening.to !== to)))
    refuse(`incident ${id} was opened for another range`)
  if (ms(from) > ms(opening.from)) refuse(`incident ${id} began at ${opening.from} when it was opened`)
  const left = [opening.first, opening.last].find(
    (time) => time !== undefined && !isIn({ from, ...until(to) }, time)
  )
  if (left !== undefined) refuse(`incident ${id} excluded a leaf of ${left}, outside its range`)
  return records.map((one) => (one === opening ? { ...one, from, ...until(to), closed: at } : one))
}

const until = (to: string | undefined) => (to === undefined ? {} : { to })

/** True if the time is before the batch began to be made, whatever the clocks. */
export const isBefore = (time: string, { cut_off }: Pick<BatchEntry, "cut_off">): boolean =>
  ms(time) < ms(cut_off) - clockTolerance

/** Throws `Malformed` if the incident cannot exclude the leaf of this batch. */
export const checkExclusion = (leaf: RowLeaf, entry: BatchEntry, incident: IncidentRecord): void => {
  const { closed, from, id, kind, to } = incident
  if (!isOf(incident, leaf))
    throw new Malformed(
      `incident ${id} is about ${incident.symbol} ${incident.metric}${incident.source === undefined ? "" : ` of ${incident.source}`}`,
      "contradiction"
    )
  // The range of an open automatic incident may still grow; the day that it began on does not move.
  const begins = kind === "manual" || closed !== undefined ? from : `${from.slice(0, 10)}T00:00:00Z`
  if (!isIn({ from: begins, ...until(to) }, leaf.as_of))
    throw new Malformed(
      `incident ${id} is about ${from} to ${to ?? "later"}, and the leaf's \`as_of\` is ${leaf.as_of}`,
      "contradiction"
    )
  if (leaf.n_observations === 0 || closed === undefined) return
  if (isBefore(closed, entry) || ms(leaf.recorded_at) > ms(closed) + clockTolerance)
    throw new Malformed(`incident ${id} was closed at ${closed}`, "contradiction")
}

/** Throws `Malformed` if an open incident of an operator covers the leaf, which no incident excludes. */
export const checkCoverage = (
  leaf: RowLeaf,
  entry: BatchEntry,
  records: ReadonlyArray<IncidentRecord>
): void => {
  const incident = records.find(
    (one) =>
      one.kind === "manual" &&
      one.closed === undefined &&
      isOf(one, leaf) &&
      isIn(one, leaf.as_of) &&
      (isBefore(one.opened, entry) || ms(leaf.recorded_at) > ms(one.opened) + clockTolerance)
  )
  if (incident !== undefined)
    throw new Malformed(
      `incident ${incident.id} is open since ${incident.opened}, covers it and excludes it not`,
      "contradiction"
    )
}

/** The incidents after the leaves of a batch: with the first and the last `as_of` that each excluded. */
export const afterLeaves = (
  records: ReadonlyArray<IncidentRecord>,
  rows: ReadonlyArray<RowLeaf>
): ReadonlyArray<IncidentRecord> => {
  const excluded = Map.groupBy(
    rows.filter(({ excluded_by, n_observations }) => excluded_by !== undefined && n_observations > 0),
    ({ excluded_by }) => excluded_by
  )
  if (excluded.size === 0) return records
  return records.map((one) => {
    const times = (excluded.get(one.id) ?? []).map(({ as_of }) => as_of)
    const sorted = [...times, one.first, one.last].flatMap((time) => time ?? []).sort((a, b) => ms(a) - ms(b))
    const [first, last] = [sorted[0], sorted.at(-1)]
    return first === undefined || last === undefined ? one : { ...one, first, last }
  })
}

/** The incidents that were opened or closed since the batch before, and in time for this one. */
export const changedSince = (
  records: ReadonlyArray<IncidentRecord>,
  before: Pick<BatchEntry, "cut_off">,
  entry: BatchEntry
): ReadonlyArray<IncidentRecord> =>
  records.filter(({ closed, kind, opened }) => {
    const changed = closed ?? (kind === "manual" ? opened : undefined)
    return changed !== undefined && !isBefore(changed, before) && isBefore(changed, entry)
  })

/**
 * Throws `Malformed` if the newest leaf of a chain stands where the incident, which changed before the batch, must have moved
 * its readings: out of what is served if it was opened, back if it was closed.
 */
export const checkMoved = (newest: RowLeaf, incident: IncidentRecord): void => {
  if (newest.n_observations === 0 || !isOf(incident, newest)) return
  if (incident.closed === undefined) {
    if (newest.excluded_by === undefined && isIn(incident, newest.as_of))
      throw new Malformed(
        `incident ${incident.id}, opened at ${incident.opened}, covers it and excludes it not`,
        "contradiction"
      )
  } else if (newest.excluded_by === incident.id)
    throw new Malformed(
      `incident ${incident.id} was closed at ${incident.closed}, and excludes it still`,
      "contradiction"
    )
}
