/** The runs of rows as SQL parameters. */
import { booleans, ints, texts, times } from "../arrays.ts"
import type { Origin } from "../candidate.ts"
import type { Classified } from "../compare/classify.ts"

/** The runs of rows as arrays, and by row, from 1 on, which of them is its own: texts of a run are sent once. */
export const originsOf = (rows: ReadonlyArray<Classified>) => {
  const places = new Map<Origin, number>()
  const from = rows.map((row) => {
    const place = places.get(row.from) ?? places.size + 1
    places.set(row.from, place)
    return place
  })
  const origins = [...places.keys()]
  return {
    from: ints(from),
    runs: texts(origins.map(({ run }) => run)),
    recordedAt: times(origins.map(({ recordedAt }) => recordedAt)),
    confirmedAt: times(origins.map(({ confirmedAt }) => confirmedAt)),
    simulated: booleans(origins.map(({ simulated }) => simulated))
  }
}
