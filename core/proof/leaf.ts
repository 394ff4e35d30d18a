/**
 * The leaves of a daily batch, as canonical JSON (RFC 8785): one per series and day, and one per day that commits to the
 * series with no reading. These bytes are stored, hashed and served, never rebuilt.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { compareBytes, fromUtf8, Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord, parseCanonical } from "./canonical.ts"
import { leafHash } from "./merkle.ts"
import * as s from "./shape.ts"
import { checkTag, type Tag, tagged } from "./tag.ts"
import { hour, minute } from "./time.ts"

export { checkTag, type Tag, tagged }

/** A published daily row. The leaf hash commits to every member. */
export interface RowLeaf {
  readonly v: Tag<"service-leaf-v2">
  /**
   * `reading`: recorded by the cut-off of its day, in the batch of that day. `late`: recorded after the cut-off of its day,
   * even if it is in the batch of that day. `revision`: the upstream restated it.
   */
  readonly kind: "reading" | "late" | "revision"
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: string
  /** UTC day of `as_of`. */
  readonly day: string
  /** Time of the day's last accepted reading, which gives the value. */
  readonly as_of: string
  readonly value: number
  /** The exact number, if a double may not represent it; `value` is the nearest double. */
  readonly value_text?: string
  /** 0 only in versions above 1: an incident excluded all the day's readings, so the value is withdrawn. */
  readonly n_observations: number
  /** `readingsSha256` of all readings of the day. */
  readonly readings_sha256: string
  readonly verify_url: string
  /** 1 for the first leaf of a series and day. */
  readonly version: number
  /** Leaf hash of the previous version; present exactly if `version` is above 1. */
  readonly follows?: string
  /** The incident that keeps the row out of history; the row itself stays. The log holds the incident's opening. */
  readonly excluded_by?: number
  /** When the service recorded it: at most five minutes before `as_of`, by the upstream's clock. */
  readonly recorded_at: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

/** Commits to the expected series without a leaf of `day` in its batch, so that absence can be proved. */
export interface AbsenceLeaf {
  readonly v: Tag<"service-leaf-v2">
  readonly kind: "absent"
  readonly day: string
  readonly cut_off: string
  readonly n_series: number
  /** SHA-256 of the list's bytes (`absenceList`). */
  readonly series_sha256: string
  readonly simulated?: true
}

export type Leaf = RowLeaf | AbsenceLeaf

export const leafTag = "service-leaf-v2"
const rowShape: s.Shape<RowLeaf> = {
  v: s.oneOf<Tag<"service-leaf-v2">>(leafTag, `${leafTag}-demo`),
  kind: s.oneOf("reading", "late", "revision"),
  symbol: s.name,
  metric: s.name,
  source: s.name,
  unit: s.name,
  day: s.day,
  as_of: s.time,
  value: s.number,
  value_text: s.optional(s.name),
  n_observations: s.count,
  readings_sha256: s.hash,
  verify_url: s.name,
  version: s.ordinal,
  follows: s.optional(s.hash),
  excluded_by: s.optional(s.ordinal),
  recorded_at: s.time,
  simulated: s.optional(s.trueOrAbsent)
}

const absenceShape: s.Shape<AbsenceLeaf> = {
  v: rowShape.v,
  kind: s.oneOf("absent"),
  day: s.day,
  cut_off: s.time,
  n_series: s.count,
  series_sha256: s.hash,
  simulated: s.optional(s.trueOrAbsent)
}

const checkLeaf = (value: unknown): Leaf => {
  const leaf: Leaf =
    isRecord(value) && value.kind === "absent"
      ? s.readShape("an absence leaf", value, absenceShape)
      : s.readShape("a leaf", value, rowShape)
  checkTag(leaf, leafTag)
  if (leaf.kind === "absent") return leaf
  if (!leaf.as_of.startsWith(`${leaf.day}T`))
    throw new Malformed("a leaf's day must be the UTC day of its as_of")
  if (Date.parse(leaf.recorded_at) < Date.parse(leaf.as_of) - clockTolerance) {
    throw new Malformed("a leaf must not be recorded more than 5 minutes before its as_of")
  }
  if (leaf.kind === "late" && Date.parse(leaf.recorded_at) <= cutOffOf(leaf.day)) {
    throw new Malformed("a late leaf must be recorded after the cut-off of its day")
  }
  if (leaf.value_text !== undefined && !isExactTextOf(leaf.value_text, leaf.value)) {
    throw new Malformed(
      `a leaf's value_text ${leaf.value_text} must be the number whose nearest double is its value`
    )
  }
  if (leaf.n_observations === 0 && leaf.readings_sha256 !== sha256Hex("")) {
    throw new Malformed("a leaf without observations must have the readings_sha256 of no reading")
  }
  if (leaf.n_observations === 0 && leaf.version === 1) {
    throw new Malformed("version 1 of a leaf must have observations")
  }
  if (leaf.version > 1 !== (leaf.follows !== undefined)) {
    throw new Malformed("a leaf must have `follows` exactly if its version is above 1")
  }
  if ((leaf.kind === "reading" && leaf.version > 1) || (leaf.kind === "revision" && leaf.version === 1)) {
    throw new Malformed("a reading must be version 1, and a revision must not be")
  }
  return leaf
}

/** How far another clock may be ahead of the one that is compared with it, in milliseconds. */
export const clockTolerance = 5 * minute

/** When the batch of a day closes: 08:00 UTC on the next day, in epoch milliseconds. */
export const cutOffOf = (day: string): number => Date.parse(day) + 32 * hour

const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** True for a decimal number within the range of a double. */
export const isNumberText = (text: string): boolean => numberForm.test(text) && Number.isFinite(Number(text))

/** True if the text is a decimal number and `value` is the double nearest to it. */
export const isExactTextOf = (text: string, value: number): boolean =>
  isNumberText(text) && Number(text) === value

/** The leaf's canonical JSON. Throws `Malformed` if the leaf is not valid. */
export const leafText = (leaf: Leaf): string => canonical(checkLeaf(leaf))

/** The leaf's bytes. Throws `Malformed` if the leaf is not valid. */
export const leafBytes = (leaf: Leaf): Uint8Array => utf8(leafText(leaf))

/** Parses a leaf, which must be canonical JSON. Throws `Malformed`. */
export const parseLeaf = (text: string): Leaf => checkLeaf(parseCanonical(text))

export const parseLeafBytes = (bytes: Uint8Array): Leaf => parseLeaf(fromUtf8(bytes))

/** The leaf's RFC 9162 hash in hex, as used in `follows`. */
export const leafHashHex = (bytes: Uint8Array): string => toHex(leafHash(bytes))

// By UTF-8 bytes, like `sort` in the C locale and SQL's collation "C", so any tool can reproduce the order.
const compare = (a: string, b: string): number => (a === b ? 0 : compareBytes(utf8(a), utf8(b)))

/**
 * Sorts the leaves of a batch: rows by symbol, metric, source (as UTF-8 bytes), day, incident (none first) and
 * version; then the absence leaves by day. No two leaves compare equal.
 */
export const compareLeaves = (a: Leaf, b: Leaf): number => {
  if (a.kind === "absent") return b.kind === "absent" ? compare(a.day, b.day) : 1
  if (b.kind === "absent") return -1
  return (
    compare(a.symbol, b.symbol) ||
    compare(a.metric, b.metric) ||
    compare(a.source, b.source) ||
    compare(a.day, b.day) ||
    (a.excluded_by ?? 0) - (b.excluded_by ?? 0) ||
    a.version - b.version
  )
}

/** One reading of a day, covered by `readings_sha256`. */
export interface Reading {
  readonly as_of: string
  readonly value: number
  readonly value_text?: string
}

/** A reading's line `as_of|value`: the value's exact text, or its canonical JSON number. */
export const readingLine = (reading: Reading): string =>
  `${reading.as_of}|${reading.value_text ?? canonical(reading.value)}`

const sha256Hex = (text: string): string => toHex(sha256(utf8(text)))

/**
 * SHA-256 in hex over the lines of a day's readings, by `as_of`, joined by a newline (none at the end). The server passes
 * its native SHA-256 of a text, in hex; the default is portable.
 */
export const readingsSha256 = (readings: ReadonlyArray<Reading>, sha = sha256Hex): string =>
  sha(
    [...readings]
      .sort((a, b) => Date.parse(a.as_of) - Date.parse(b.as_of))
      .map(readingLine)
      .join("\n")
  )

export interface SeriesName {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}

/** A series on the list of a day's absences. */
export interface AbsentSeries extends SeriesName {
  /** The series is expected no longer: this is its last absence. */
  readonly ended?: true
}

const absentShape: s.Shape<AbsentSeries> = {
  symbol: s.name,
  metric: s.name,
  source: s.name,
  ended: s.optional(s.trueOrAbsent)
}

/** The order of series in a batch: by symbol, metric and source as UTF-8 bytes. */
export const compareSeries = (a: SeriesName, b: SeriesName): number =>
  compare(a.symbol, b.symbol) || compare(a.metric, b.metric) || compare(a.source, b.source)

/** The list of series without a reading, as canonical JSON in leaf order, and its SHA-256. */
export const absenceList = (
  series: ReadonlyArray<AbsentSeries>
): { readonly text: string; readonly sha256: string; readonly count: number } => {
  const list = series
    .map(({ ended, metric, source, symbol }) => ({
      symbol,
      metric,
      source,
      ...(ended === undefined ? {} : { ended })
    }))
    .sort(compareSeries)
  const text = canonical(list)
  return { text, sha256: toHex(sha256(utf8(text))), count: list.length }
}

/** Parses such a list: canonical JSON, in leaf order, no series twice. Throws `Malformed`. */
export const parseAbsenceList = (text: string): ReadonlyArray<AbsentSeries> => {
  const value = parseCanonical(text)
  if (!Array.isArray(value)) throw new Malformed("a list of absences must be an array")
  const list = value.map((one) => s.readShape("an absent series", one, absentShape))
  for (const [place, one] of list.entries()) {
    const before = list[place - 1]
    if (before !== undefined && compareSeries(before, one) >= 0)
      throw new Malformed(
        "a list of absences must be sorted by symbol, metric and source, and name a series once"
      )
  }
  return list
}

/** The series on the list that the leaf commits to. Throws `Malformed` if it is another list or lacks the series. */
export const provenAbsence = (leaf: AbsenceLeaf, listText: string, series: SeriesName): AbsentSeries => {
  if (toHex(sha256(utf8(listText))) !== leaf.series_sha256)
    throw new Malformed("the list of absences does not match the leaf's series_sha256", "hash")
  const list = parseAbsenceList(listText)
  if (list.length !== leaf.n_series)
    throw new Malformed(
      `the leaf counts ${leaf.n_series} absent series, but the list has ${list.length}`,
      "contradiction"
    )
  const absent = list.find((one) => compareSeries(one, series) === 0)
  if (absent === undefined)
    throw new Malformed(
      `${series.metric} of ${series.symbol} by ${series.source} is not on the list of absences`,
      "missing"
    )
  return absent
}
