/** How a metric may go with time, told from what its manifest says: so the tape knows which numbers may not fall. */
import type { Manifest, Metric } from "../../core/plugin/Manifest.ts"
import { isNeverFalling } from "../../core/plugin/relations.ts"

/** `grows`: a count from the start, which never falls. `stands`: a parameter or a date of the past. */
export type Trend = "grows" | "stands" | "varies"

const counts = /_height$|burnt|burned$|price_ath|detections_total|measurements_total|drivers_total|km_mapped/
const countsInWords = /\bever\b|\bsince (the start|genesis|its)\b|\bregistered accounts\b|in existence/i
const parameters = /(^|_)max_|_tempo$|registered_at|first_day/i

/** The course of a metric by the relations of its manifest, its name and its meaning. */
export const trendOf = (
  name: string,
  { meaning }: Pick<Metric, "meaning">,
  { relations }: Pick<Manifest, "relations">
): Trend => {
  if (parameters.test(name)) return "stands"
  // The lowest price ever falls.
  if (name.includes("_atl")) return "varies"
  return isNeverFalling(relations, name) ||
    counts.test(name) ||
    (countsInWords.test(meaning) && !/_pct$/.test(name))
    ? "grows"
    : "varies"
}
