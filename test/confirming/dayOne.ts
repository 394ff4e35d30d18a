/** An operator's first day: every feed has run once, against answers as they are recorded; of ten feeds something else came. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Expected } from "../../core/plugin/Recording.ts"
import { isoTime, parseTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { type SoundCase, soundCases } from "../support/plugins.ts"
import * as Runs from "../support/runs.ts"

export const noon = Date.UTC(2026, 8, 15, 12)

/** What an upstream sent instead: a part of its answer's text, and what stood there. */
export const changes: Readonly<Record<string, readonly [part: string, by: string]>> = {
  // Ten times, a thousand times, fifty times.
  sia: ['"activeHosts":421', '"activeHosts":4210'],
  swarm: ['"count":6104', '"count":6104000'],
  storj: ['"active_nodes":29310', '"active_nodes":1465500'],
  // Another unit, below 0 as a whole number without a sign, 0.
  golem: ['"storage":190233.2197', '"storage":194798816.97'],
  arweave: ['"peers":611', '"peers":18446744073709551615'],
  iexec: ['"appsCount":"1204"', '"appsCount":"0"'],
  // Another name, another answer, months old, and not what its second source says.
  flux: ['"ipv4"', '"ipv4_nodes"'],
  btfs: ['"code":0', '"code":1'],
  tor: ["2026-09-05 10:00:00", "2026-06-13 10:00:00"],
  weatherxm: ["57000102", "85500102"]
}

const changedRows = ({ id, plugin, rows, tape }: SoundCase): Effect.Effect<Expected> => {
  const change = changes[id]
  if (change === undefined) return Effect.succeed(rows)
  const [part, by] = change
  const exchanges = tape.exchanges.map((one) => ({
    ...one,
    body: Buffer.from(Buffer.from(one.body).toString().replaceAll(part, by))
  }))
  const isChanged = exchanges.some(({ body }, n) => !body.equals(Buffer.from(tape.exchanges[n]?.body ?? [])))
  return isChanged
    ? Fixtures.replay(plugin, { ...tape, exchanges })
    : Effect.die(`the answers of ${id} have no ${part}`)
}

/** The first run of a feed, at noon: the newest value of each series, as old as it was when it was recorded. */
const firstRun = Effect.fnUntraced(function* (one: SoundCase) {
  const rows = yield* changedRows(one)
  const { bodies, run } = Runs.delivery(noon, [], one.id)
  if ("error" in rows) {
    return {
      bodies,
      run: { ...run, status: "failed" as const, error: { tag: rows.error, message: rows.message } }
    }
  }
  const newest = new Map<string, (typeof rows.observations)[number]>()
  for (const row of rows.observations) {
    const key = `${row.symbol} ${row.metric} ${row.source}`
    const before = newest.get(key)
    if (before === undefined || before.as_of < row.as_of) newest.set(key, row)
  }
  const later = noon - one.tape.now
  const observations = [...newest.values()].map((row) => ({
    ...row,
    as_of: isoTime((parseTime(row.as_of) ?? 0) + later)
  }))
  return { bodies, run: { ...run, observations, refused: rows.refused } }
})

/** Every feed runs once. Returns their names. */
export const playDayOne = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const { write } = yield* Ingest
  const all = yield* Effect.promise(() => soundCases())
  for (const one of all) yield* write(yield* firstRun(one))
  return all.map(({ id }) => id)
})
