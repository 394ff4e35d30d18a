/** What a caller may ask for of a list. */

/** The most names in one parameter. */
export const mostNames = 50

/**
 * The members that `fields` never takes away: which value it is, where and when it was true, what is to be said of it. With
 * them /v1/attest gives the proof of a row, however short. The signature of an answer is over its bytes, whatever they are.
 */
export const staysWithFields: ReadonlySet<string> = new Set([
  "symbol",
  "metric",
  "date",
  "source",
  "as_of",
  "verify_url",
  "field_sources",
  "disagrees_with",
  "exceeds",
  "simulated",
  "unconfirmed",
  "by_definition",
  "by_definition_reason",
  "reviewed"
])

/** Members that hold more than one value, by which nothing can be sorted. */
const nested: ReadonlySet<string> = new Set([
  "change",
  "disagrees_with",
  "exceeds",
  "field_sources",
  "growth",
  "metrics",
  "missing_headline",
  "sources"
])

/** The members of a row by which its list can be sorted. */
export const sortable = (columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  columns.filter((column) => !nested.has(column))

/** The members of a row that `fields` can name. */
export const choosable = (columns: ReadonlyArray<string>): ReadonlyArray<string> =>
  columns.filter((column) => !staysWithFields.has(column))
