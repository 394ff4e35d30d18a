/** What came of asking a source again, as a sentence. It runs in a browser too. */
import type { Comparison, RecheckResponse } from "../../../core/wire/data/recheck.ts"
import { formatChange, formatTime, valueText } from "./format.ts"

const differs = ({ difference_pct: pct }: Comparison): string =>
  pct === undefined ? "" : `, ${formatChange(pct)} against the value shown`

const places = {
  in_body: "It stands in the answer as such",
  several: "The answer has this number in several places",
  derived: "It is computed from others in the answer",
  not_looked: ""
}

const placed = ({ place }: Comparison): string =>
  place === undefined || place.kind === "not_looked"
    ? ""
    : ` ${places[place.kind]}${place.pointer === undefined ? "" : `, at ${place.pointer}`}.`

const carried = ({ notary }: RecheckResponse): string =>
  notary === undefined ? "" : ` The notary ${notary.key.split("+")[0]} carried this answer.`

/** The verdict of a comparison; undefined while the source has not answered. */
export const recheckSentence = (response: RecheckResponse): string | undefined => {
  const { checked_utc, comparison, unit } = response
  if (comparison === undefined || checked_utc === undefined) return undefined
  const { again, reason, verdict } = comparison
  const when = `Asked at ${formatTime(checked_utc)}`
  if (again === undefined)
    return verdict === "unreachable"
      ? `${when}, the source gave no answer that can be read: ${reason ?? "nothing more is known"}.`
      : `${when}, the source has no such figure now: ${reason ?? "nothing more is known"}.`
  return verdict === "exact"
    ? `${when}, the source says the same: ${valueText(again.value, unit)}.${placed(comparison)}${carried(response)}`
    : `${when}, the source says ${valueText(again.value, unit)}${differs(comparison)}.${placed(comparison)}${carried(response)}`
}
