/**
 * What is odd about an unconfirmed figure, or its feed: pure functions of what the service knows. A figure without a doubt is not right
 * for that: nothing that it can be compared with contradicts it.
 */
import { isRefusal } from "../../core/plugin/notes.ts"
import { day, hour, minute } from "../../core/plugin/time.ts"
import { has } from "../../core/plugin/units.ts"
import { absence, absent } from "../../core/readings/ingest/accept/absent.ts"
import { likelyUnit } from "../../core/readings/ingest/compare/scale.ts"
import { isStale } from "../../core/readings/read/freshness.ts"
import type { Figure, UnconfirmedFeed } from "../../core/readings/read/unconfirmedFigures.ts"
import { figureKey, type Recorded, type RecordedFigure } from "./recorded.ts"

/** Kinds of doubt, the gravest first. */
const kinds = ["contradicted", "held", "scale", "failed", "missing", "refused", "zero", "old"] as const

export interface Doubt {
  readonly kind: (typeof kinds)[number]
  readonly text: string
}

/** How grave a doubt is: 0 is the gravest. */
export const gravity = ({ kind }: Doubt): number => kinds.indexOf(kind)

/** From this factor on two values are not of one order of magnitude; below ten, because the figure moves meanwhile. */
const otherMagnitude = 8

const factorOf = (a: number, b: number): number => Math.max(a / b, b / a)

const sized = (factor: number): string => factor.toLocaleString("en", { maximumSignificantDigits: 3 })

/** Against a value of the same figure: another order of magnitude, the other side of 0, or 0. */
const against = (value: number, other: number, what: string): ReadonlyArray<Doubt> => {
  if (value === 0 && other !== 0) return [{ kind: "zero", text: `0, where ${what} has ${other}` }]
  if (value === 0 || other === 0 || value < 0 !== other < 0) return []
  const factor = factorOf(value, other)
  if (factor < otherMagnitude) return []
  const unit = likelyUnit(factor)
  return [
    {
      kind: "scale",
      text:
        `${value / other > 1 ? `${sized(factor)} times` : `1/${sized(factor)} of`} ${what}, which has ${other}` +
        (unit === undefined ? "" : ` (about ${unit}: another unit?)`)
    }
  ]
}

/** An age in words. */
export const aged = (age: number): string =>
  age < 2 * hour
    ? `${Math.max(0, Math.round(age / minute))} min`
    : age < 2 * day
      ? `${Math.round(age / hour)} h`
      : `${Math.round(age / day)} days`

/** The doubts about a figure of a feed that is read every so many milliseconds, the gravest first. */
export const doubtsOfFigure = (
  figure: Figure,
  { every, now, recorded }: { every: number; now: number; recorded: RecordedFigure | undefined }
): ReadonlyArray<Doubt> => {
  const { before, held: reading, inDoubt, seconds, unit, value } = figure
  const age = now - Date.parse(figure.as_of)
  const isLate = isStale(age, every) && (recorded === undefined || age > 2 * recorded.age)
  const isSized = !has(unit, "unscaled")
  const doubts: ReadonlyArray<Doubt> = [
    ...seconds
      .filter((second) => !second.agrees)
      .map(
        ({ as_of, source, tolerance, value }): Doubt => ({
          kind: "contradicted",
          text: `${source} has ${value} of ${as_of}; they may differ by ${Math.round(tolerance * 100)} % within a day`
        })
      ),
    ...(reading === undefined
      ? []
      : [{ kind: "held", text: `a newer ${reading.value} is held: ${reading.reason}` } as const]),
    ...(inDoubt === undefined
      ? []
      : [
          { kind: "held", text: `it was at ${inDoubt.before.value}, then at ${inDoubt.after.value}` } as const
        ]),
    ...(isSized && recorded !== undefined ? against(value, recorded.value, "its author's case") : []),
    ...(isSized && before !== undefined ? against(value, before.value, `${before.as_of.slice(0, 10)}`) : []),
    ...(isLate
      ? [
          {
            kind: "old",
            text: `${aged(age)} old, read every ${aged(every)}${recorded === undefined ? "" : `; ${aged(recorded.age)} in its author's case`}`
          } as const
        ]
      : [])
  ]
  return doubts.toSorted((a, b) => gravity(a) - gravity(b))
}

/** At most four names. */
const named = (all: ReadonlyArray<string>): string =>
  all.length <= 4 ? all.join(", ") : `${all.slice(0, 3).join(", ")} and ${all.length - 3} more`

/** The doubts about a feed as a whole: what its last run lacked. */
export const doubtsOfFeed = (
  { confirmed, figures, last }: Pick<UnconfirmedFeed, "confirmed" | "figures" | "last">,
  recorded: Recorded
): ReadonlyArray<Doubt> => {
  const present = new Set(figures.map(figureKey))
  // Series that are confirmed are not among its figures; of a feed that never gave any, its last run says why.
  const missing =
    confirmed > 0 || figures.length === 0 ? [] : [...recorded.keys()].filter((key) => !present.has(key))
  const refused = last?.refused ?? []
  // What no run ever gave, its recorded case has not either, or it is missing.
  const gone = refused.filter(({ reason }) => reason === absent)
  const rejected = refused.filter((one) => !one.reason.startsWith(absence) && isRefusal(one))
  const names = (of: typeof refused) => named(of.map(({ metric, symbol }) => `${symbol} ${metric}`))
  return [
    ...(last?.status === "failed"
      ? [{ kind: "failed", text: `its last run failed: ${last.error ?? "without a word"}` } as const]
      : []),
    ...(missing.length > 0
      ? [{ kind: "missing", text: `no run gave what its author's case has: ${named(missing)}` } as const]
      : gone.length > 0
        ? [{ kind: "missing", text: `absent in its last run: ${names(gone)}` } as const]
        : []),
    ...(rejected.length > 0
      ? [
          {
            kind: "refused",
            text: `refused in its last run: ${names(rejected)}: ${rejected[0]?.reason.slice(0, 100)}`
          } as const
        ]
      : [])
  ]
}
