/** The sources of the values in an answer, for programs that pass them on; the model does not see `_meta`. */
import { isObject } from "./schema.ts"

/** Its member in `_meta`. */
export const provenanceKey = "plumbline/provenance"

/** The most sources listed per answer. */
const mostSources = 20

interface ProvenanceRow {
  readonly source: string
  readonly verify_url: string
  readonly as_of: string
  readonly symbol: string
  readonly metric: string
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const collect = (value: unknown, rows: Array<ProvenanceRow>): void => {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, rows)
    return
  }
  if (!isObject(value)) return
  const { as_of, metric, source, symbol, verify_url } = value
  if (typeof source === "string" && typeof verify_url === "string") {
    rows.push({ source, verify_url, as_of: text(as_of), symbol: text(symbol), metric: text(metric) })
    return
  }
  for (const member of Object.values(value)) collect(member, rows)
}

const only = (values: ReadonlyArray<string>): string | undefined => {
  const [first, ...others] = new Set(values)
  return others.length > 0 || first === "" ? undefined : first
}

/**
 * The sources of the values in an answer, each with its newest `as_of` and a `verify_url`, and the URL of the proof (a
 * URL pattern if there are several values). Undefined if the answer has no values.
 */
export const provenanceOf = (answer: unknown, baseUrl: string): object | undefined => {
  const rows: Array<ProvenanceRow> = []
  collect(answer, rows)
  if (rows.length === 0) return undefined
  const sources = [...Map.groupBy(rows, ({ source }) => source)].map(([source, values]) => {
    const newest = values.reduce((a, b) => (b.as_of > a.as_of ? b : a))
    return { source, as_of: newest.as_of, verify_url: newest.verify_url, n_values: values.length }
  })
  const named = (name: "metric" | "symbol") =>
    encodeURIComponent(only(rows.map((value) => value[name])) ?? "") || `{${name}}`
  const source = only(rows.map((value) => value.source))
  const date = only(rows.map(({ as_of }) => as_of.slice(0, 10).replaceAll("-", ""))) ?? "{YYYYMMDD}"
  return {
    sources: sources.slice(0, mostSources),
    n_sources: sources.length,
    proof: `${baseUrl}/v1/attest?symbol=${named("symbol")}&metric=${named("metric")}&date=${date}${source === undefined ? "" : `&source=${encodeURIComponent(source)}`}&format=bundle4`
  }
}
