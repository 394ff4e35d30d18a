/** The series of a run that looked again, each beside what is served. */
import type { Refusal } from "../../plugin/Plugin.ts"
import type { Observation } from "../../plugin/Value.ts"
import type { Comparison } from "../../wire/data/recheck.ts"
import type { CurrentRow } from "../read/Current.ts"
import type { Place } from "./places.ts"
import { closenessOf, differencePct } from "./verdict.ts"

/** What a run gave: its rows and refusals, and where the figures stand in what the upstream said. */
export interface Again {
  readonly rows: ReadonlyArray<Observation>
  readonly refused: ReadonlyArray<Refusal>
  readonly places: ReadonlyMap<number, Place>
}

const readingOf = ({ as_of, value, value_text }: Observation): Comparison["served"] => ({
  value,
  ...(value_text === undefined ? {} : { value_text }),
  as_of
})

const placeOf = (place: Place | undefined): Pick<Comparison, "place"> => {
  if (place === undefined) return {}
  const { kind } = place
  return kind === "in_body"
    ? { place: { kind, pointer: place.pointer, body_sha256: place.sha256 } }
    : { place: { kind } }
}

/** The comparison of a served row; `again` is undefined, with the reason, where there was no answer that can be read. */
export const comparedWith = (
  { row }: CurrentRow,
  again: Again | { readonly unreachable: string }
): Comparison => {
  const served = readingOf(row)
  if ("unreachable" in again) return { verdict: "unreachable", reason: again.unreachable, served }
  const now = again.rows.find(
    ({ metric, source, symbol }) => symbol === row.symbol && metric === row.metric && source === row.source
  )
  if (now === undefined) {
    const refusal = again.refused.find(({ metric, symbol }) => symbol === row.symbol && metric === row.metric)
    return { verdict: "gone", reason: refusal?.reason ?? "the answer has no such figure", served }
  }
  const pct = differencePct(row, now)
  return {
    verdict: closenessOf(row, now),
    served,
    again: readingOf(now),
    ...(pct === undefined ? {} : { difference_pct: pct }),
    ...placeOf(again.places.get(now.value))
  }
}
