/** What the service asks of the process that reads the archive, and what it answers. */

export interface Query {
  readonly kind: "columns" | "rows"
  /** Paths of Parquet files. */
  readonly files: ReadonlyArray<string>
  /** The series, each as the four members of one place. */
  readonly ids: ReadonlyArray<number>
  readonly symbols: ReadonlyArray<string>
  readonly metrics: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
  /** Days since 1970, both included. */
  readonly from: number
  readonly to: number
}

/** The days of series `ids[n]` are those from `ends[n - 1]` to `ends[n]`. */
export interface Columns {
  readonly ids: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  readonly days: Int32Array
  readonly values: Float64Array
  readonly verify_urls: ReadonlyArray<string>
  /** Milliseconds since 1970. */
  readonly as_ofs: ReadonlyArray<number>
  readonly simulated: ReadonlyArray<boolean>
}

/** A row for each place. */
export interface Rows {
  readonly id: ReadonlyArray<number>
  readonly day: ReadonlyArray<number>
  readonly incident: ReadonlyArray<number>
  readonly version: ReadonlyArray<number>
  readonly value: ReadonlyArray<number>
  readonly value_text: ReadonlyArray<string | null>
  readonly n_observations: ReadonlyArray<number>
  readonly as_of: ReadonlyArray<number>
  readonly verify_url: ReadonlyArray<string>
  readonly simulated: ReadonlyArray<boolean>
}

export type ToChild = { readonly query: Query } | { readonly cancel: true }

export type FromChild =
  | { readonly ready: true }
  /** The library is not installed. */
  | { readonly missing: string }
  | { readonly columns: Columns }
  | { readonly rows: Rows }
  | { readonly failed: string }
