/**
 * What a caller may see. Reads never know the caller: they receive an `Access` and report in the answer what it left out.
 * Plans grant wider access (`core/credits`); without a key it is `keyless`.
 */
import { Context } from "effect"
import type { AccessNote, Breadth } from "../../wire/data/access.ts"

export interface Access {
  readonly breadth: Breadth
  /** Days of daily history; null: all of it. */
  readonly historyDays: number | null
  /** Tells the caller what this access includes, and how to get more. */
  readonly note: string
}

/** Access without a key. */
export const keyless: Access = {
  breadth: "sample",
  historyDays: 30,
  note:
    "Keyless access: lists of networks are samples that rotate every UTC day, and history goes back 30 days. " +
    "Read any single network in full at /v1/network/{symbol}."
}

/** Sizes of the keyless samples, in networks (`SUPPLY_SAMPLE`, `NETWORKS_SAMPLE`). */
export const SampleSizes = Context.Reference<{ readonly supply: number; readonly networks: number }>(
  "core/readings/read/Access/SampleSizes",
  { defaultValue: () => ({ supply: 12, networks: 40 }) }
)

export const accessNote = ({ breadth, historyDays, note }: Access): AccessNote => ({
  breadth,
  history_days: historyDays,
  note
})
