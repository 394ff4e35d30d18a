/** The content of the n-th run: 6, 2400 or 1200 readings of two networks on one of five days, none of them ever equal. */
import { isoTime } from "../../core/plugin/Value.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import * as Runs from "../support/runs.ts"

export const idOf = (n: number): string => `run-${String(n).padStart(8, "0")}`

export const sizeOf = (n: number): number => [6, 2400, 1200][n % 3] ?? 0

export const runOf = (n: number): Delivery => {
  const day = Date.UTC(2026, 8, 1 + (n % 5))
  const half = sizeOf(n) / 2
  const rows = ["FIL", "STORJ"].flatMap((symbol) =>
    Array.from({ length: half }, (_, index) =>
      Runs.row(1000 + n + index / half, isoTime(day + n * 20_000 + index * 10), { symbol })
    )
  )
  const { bodies, run } = Runs.delivery(Date.UTC(2026, 8, 6), rows)
  return { bodies, run: { ...run, id: idOf(n) } }
}
