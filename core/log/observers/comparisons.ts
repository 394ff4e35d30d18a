/** The leaves of agreement of a day: each value that this service published, and what the observers have of it. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { metricNamed, toleranceOf } from "../../plugin/Manifest.ts"
import {
  type AgreementLeaf,
  agreementLeafTag,
  agreementLeafText,
  boundedTolerance,
  relationOf,
  type Sighting
} from "../../proof/agreementLeaf.ts"
import { toHex, utf8 } from "../../proof/bytes.ts"
import { type RowLeaf, tagged } from "../../proof/leaf.ts"
import { leafHash } from "../../proof/merkle.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { rowsOf } from "../../sql/rows.ts"
import { sha256 } from "../leaves.ts"
import { eachComparable } from "./ownLeaves.ts"
import { type RemoteDay, seriesKey } from "./readDay.ts"

const thereRows = rowsOf({ there: Schema.Boolean })

/** A comparison, its series, and the value of this service. */
export interface Comparison {
  readonly series: number
  readonly value: number
  readonly leaf: AgreementLeaf
  readonly text: string
}

const sightingOf = (
  own: RowLeaf,
  tolerance: AgreementLeaf["tolerance"],
  remote: RemoteDay | undefined,
  observer: number
): Sighting => {
  const value = remote?.values.get(seriesKey(own))
  const relation = relationOf(own, value, tolerance)
  if (value === undefined) return { observer, relation }
  const { unit, ...published } = value
  return { observer, relation, ...published, ...(unit === own.unit ? {} : { unit }) }
}

/** True if the batch of a day has a value that could be compared. */
export const hasComparable = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select exists (
      select 1 from leaf where batch = (select id from batch where day = ${day}::date) and day = ${day}::date
        and incident = 0 and series is not null
    ) as there`.pipe(thereRows)
  return row?.there === true
})

/** The comparisons of a closed day, in the order of its leaves. `remotes` are the observers, undefined where one was not read. */
export const comparisonsOf = Effect.fn("observers.comparisonsOf")(function* (
  day: string,
  remotes: ReadonlyArray<RemoteDay | undefined>,
  simulated: boolean
) {
  const manifests = new Map((yield* Feeds).manifests.map((manifest) => [manifest.id, manifest]))
  const comparisons: Array<Comparison> = []
  yield* eachComparable(day, ({ leaf: own, plugin, series, text }) => {
    const { metric, source, symbol, unit } = own
    const tolerance = boundedTolerance(
      toleranceOf(unit, metricNamed(manifests.get(plugin)?.metrics ?? {}, metric))
    )
    const leaf: AgreementLeaf = {
      v: tagged(agreementLeafTag, simulated),
      symbol,
      metric,
      source,
      day,
      leaf_hash: toHex(leafHash(utf8(text), sha256)),
      tolerance,
      seen: remotes.map((remote, observer) => sightingOf(own, tolerance, remote, observer)),
      ...(simulated ? { simulated: true } : {})
    }
    comparisons.push({ series, value: own.value, leaf, text: agreementLeafText(leaf) })
  })
  return comparisons
})
