/** Names of series, days and chains as keys, and findings about many of them. */

import type { Finding } from "../../../../../core/proof/finding.ts"
import type { RowLeaf, SeriesName } from "../../../../../core/proof/leaf.ts"
import { day as dayMs } from "../../../../../core/proof/time.ts"

/** A series as one text. */
export const seriesKey = ({ metric, source, symbol }: SeriesName): string => `${symbol}\n${metric}\n${source}`

/** A series and day as one text. */
export const seriesDay = (one: SeriesName & { readonly day: string }): string =>
  `${seriesKey(one)}\n${one.day}`

/** A series in words. */
export const nameOf = ({ metric, source, symbol }: SeriesName): string => `${symbol} ${metric} of ${source}`

/** A leaf in words. */
export const leafName = (leaf: RowLeaf): string =>
  `version ${leaf.version} of ${nameOf(leaf)} on ${leaf.day}${leaf.excluded_by === undefined ? "" : ` under incident ${leaf.excluded_by}`}`

/** The day that is `days` after another, or before it. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** Findings of one kind that are shown of one batch or document. */
const most = 5

/** The first of many findings of one kind; the last says how many more there are. */
export const firstOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const left = findings.length - most
  return findings
    .slice(0, most)
    .map((one, at) =>
      left > 0 && at === most - 1 ? { ...one, found: `${one.found}, and ${left} more like this` } : one
    )
}
