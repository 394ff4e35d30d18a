/** Compares a daily row, which is what is served, with its leaf, which is what was published. */
import { Schema } from "effect"
import { isoTime } from "../../plugin/Value.ts"
import type { Difference } from "../../proof/finding.ts"
import type { RowLeaf } from "../../proof/leaf.ts"

/** The columns of `daily` that a leaf commits to. */
export const sealedFields = {
  as_of: Schema.NullOr(Schema.Date),
  value: Schema.NullOr(Schema.Number),
  value_text: Schema.NullOr(Schema.String),
  n_observations: Schema.NullOr(Schema.Int),
  verify_url: Schema.NullOr(Schema.String),
  recorded_at: Schema.NullOr(Schema.Date),
  readings_sha256: Schema.NullOr(Schema.String)
}
const SealedRow = Schema.Struct(sealedFields)
export interface SealedRow extends Schema.Schema.Type<typeof SealedRow> {}

const time = (at: Date | null): string | undefined => (at === null ? undefined : isoTime(at.getTime()))

/** The first member in which a daily row differs from its leaf; undefined if it is the leaf's. All null: there is no row. */
export const compareRow = (leaf: RowLeaf, row: SealedRow): Difference | undefined => {
  const about = {
    what: "daily row",
    where: `${leaf.symbol} ${leaf.metric} of ${leaf.source} on ${leaf.day}, version ${leaf.version}`
  }
  if (row.as_of === null) return { ...about, expected: "a row, as in the leaf", found: "no row" }
  const members = [
    ["value", leaf.value, row.value],
    ["value_text", leaf.value_text, row.value_text ?? undefined],
    ["as_of", leaf.as_of, time(row.as_of)],
    ["n_observations", leaf.n_observations, row.n_observations],
    ["readings_sha256", leaf.readings_sha256, row.readings_sha256],
    ["verify_url", leaf.verify_url, row.verify_url],
    ["recorded_at", leaf.recorded_at, time(row.recorded_at)]
  ] as const
  for (const [name, published, served] of members) {
    if (published === served) continue
    return {
      ...about,
      expected: `${name} ${published ?? "absent"}, as in the leaf`,
      found: `${name} ${served ?? "absent"}`
    }
  }
  return undefined
}
