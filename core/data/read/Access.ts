/**
 * What a caller may see. Reads never ask who calls: they get an `Access` and say in their answer what it left out.
 * Tiers give wider ones (`core/credits`); without a key it is `keyless`.
 */
import { Context } from "effect"
import type { AccessNote, Breadth } from "../../wire/data/access.ts"

export interface Access {
  readonly breadth: Breadth
  /** Days of daily history; null is all of it. */
  readonly historyDays: number | null
  /** One sentence for the caller: what this access shows, and what shows more. */
  readonly note: string
}

/** What a caller without a key sees. */
export const keyless: Access = {
  breadth: "sample",
  historyDays: 30,
  note:
    "Keyless access: lists of networks are a sample that rotates each UTC day, history goes back 30 days; " +
    "any single network can be read in full at /v1/network/{symbol}."
}

/** Sizes of the keyless samples, in networks (`SUPPLY_SAMPLE`, `NETWORKS_SAMPLE`). */
export const SampleSizes = Context.Reference<{ readonly supply: number; readonly networks: number }>(
  "core/data/read/Access/SampleSizes",
  { defaultValue: () => ({ supply: 12, networks: 40 }) }
)

export const accessNote = ({ breadth, historyDays, note }: Access): AccessNote => ({
  breadth,
  history_days: historyDays,
  note
})
