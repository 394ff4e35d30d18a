/** Where the figures of a run stand in its bodies. */
import { zstdDecompressSync } from "node:zlib"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { type Body, largestBody, type Place, placesOf } from "../../core/readings/recheck/places.ts"

/** By value, of the run's rows. Bodies that are too large to be looked through are not even unpacked. */
export const placesIn = ({ bodies, run }: Delivery): ReadonlyMap<number, Place> => {
  const answers = new Map(run.exchanges.map((exchange) => [exchange.sha256, exchange]))
  return placesOf(
    new Set(run.observations.map(({ value }) => value)),
    [...answers.values()].map(({ sha256, size }): Body | undefined => {
      const packed = bodies.get(sha256)
      return packed === undefined || size > largestBody
        ? undefined
        : { sha256, bytes: zstdDecompressSync(packed) }
    })
  )
}
