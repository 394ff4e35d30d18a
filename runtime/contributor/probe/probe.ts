/** Runs a plugin once against its upstreams, as the service would, and compares what comes with what is known. */
import { join } from "node:path"
import { Clock, Effect, Option } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import { targetsOf } from "../../../core/catalog/Catalog.ts"
import { isRefusal, unproved } from "../../../core/plugin/notes.ts"
import type { Plugin, Refusal } from "../../../core/plugin/Plugin.ts"
import type { Expected } from "../../../core/plugin/Recording.ts"
import { asksForProof } from "../../../core/plugin/shapes/asksForProof.ts"
import type { Exchange, Upstream } from "../../../core/plugin/Upstream.ts"
import { isoTime, type Observation } from "../../../core/plugin/Value.ts"
import type { AddressContract } from "../../../core/readings/ingest/shapes/contracts.ts"
import { allRefused } from "../../collector/refusalMessage.ts"
import { runOnce, settingsOf } from "../../collector/run.ts"
import { runLimits } from "../../collector/runLimits.ts"
import type { DiskError } from "../../outside/disk.ts"
import { Egress } from "../../upstream/Egress.ts"
import { missingKeys } from "../../upstream/keys.ts"
import * as Live from "../../upstream/live.ts"
import type { Tape } from "../../upstream/replay.ts"
import { withoutProofs } from "../../upstream/withoutProofs.ts"
import * as Fixtures from "../fixtures.ts"
import { madeFrom, surroundingsOf } from "../kit/capture.ts"
import { derived, ingestible } from "../rows.ts"
import { brokenContracts, compareMembers } from "./members.ts"
import type { Probed } from "./Probed.ts"

/** The lowest and the highest of the last known values of a series. */
export interface Range {
  readonly low: number
  readonly high: number
}

/** Ranges by `seriesKey`. */
export type RangesBySeries = ReadonlyMap<string, Range>

export const seriesKey = ({ metric, source, symbol }: Pick<Observation, "symbol" | "metric" | "source">) =>
  `${symbol} ${metric} ${source}`

export interface Around {
  /** Where cases are, and where `capture` puts the new ones. */
  readonly fixtures: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly ranges: RangesBySeries
  /** What answers held in the runs that a service accepted. */
  readonly contracts: ReadonlyArray<AddressContract>
  readonly capture: boolean
  /** Also asks for the proofs of chains, of which no case has the answers. */
  readonly proof?: boolean
}

/** The case that a probe records. */
export const capturedCase = "captured"

/** The cases whose answers show what members there are. */
const referenceCases = ["ok", capturedCase]

/** Half of the lowest known value and twice the highest, whatever their sign. */
const isOutside = (value: number, { high, low }: Range): boolean =>
  value < Math.min(low / 2, low * 2) || value > Math.max(high / 2, high * 2)

const nothing = {
  hosts: [],
  rows: 0,
  refused: [],
  absent: [],
  members: { added: [], missing: [], changed: [] },
  compared: 0,
  outside: []
}

/** What a probe saw, with its answers and what they gave; without these where it did not run. */
interface Look {
  readonly probed: Probed
  readonly tape?: Tape
  readonly rows?: Expected
}

/** Never fails: whatever goes wrong is what the probe found. */
export const probe = Effect.fn("Probe.probe")(function* (
  plugin: Plugin,
  around: Around
): Effect.fn.Return<Probed, DiskError | Fixtures.CaseBroken, Egress | SecureRandom> {
  const { probed, tape } = yield* look(plugin, around)
  const captured =
    around.capture && tape !== undefined ? yield* keep(plugin, tape, around.fixtures) : undefined
  return { ...probed, ...(captured === undefined ? {} : { captured }) }
})

/** The same, without recording it. */
export const look = Effect.fn("Probe.look")(function* (
  plugin: Plugin,
  around: Pick<Around, "contracts" | "environment" | "fixtures" | "proof" | "ranges">
): Effect.fn.Return<Look, DiskError | Fixtures.CaseBroken, Egress | SecureRandom> {
  const { manifest } = plugin
  const egress = yield* Egress
  const now = yield* Clock.currentTimeMillis
  const about = {
    plugin: manifest.id,
    at: isoTime(now),
    mapped: egress.map.size > 0,
    disabled: manifest.disabled ?? null
  }
  const { variables, keys } = surroundingsOf(manifest, around.environment)
  const missing = missingKeys(manifest, keys)
  if (missing.length > 0) {
    const error = { tag: "NeedsKey", message: `${missing.join(", ")} is not set` }
    return { probed: { ...about, ...nothing, outcome: "needs_key", error } }
  }
  const settings = settingsOf(manifest, variables)
  const watch = watching()
  const { run } = yield* runOnce({
    plugin,
    codeHash: "",
    settings,
    keys,
    limits: runLimits,
    upstream: (of) =>
      Effect.map(Effect.provideService(Live.make(of), Egress, egress), (upstream) =>
        watch.over(around.proof === true ? upstream : withoutProofs(upstream))
      )
  })
  const tape: Tape = {
    now: Date.parse(run.now),
    targets: targetsOf(manifest.covers),
    settings,
    exchanges: watch.exchanges
  }
  const rows = ingestible(manifest, { observations: run.observations, refused: run.refused })
  const { observations, refused: all } = "error" in rows ? { observations: [], refused: [] } : rows
  const refused = all.filter(({ reason }) => !reason.startsWith(unproved))
  const compared = observations.flatMap((row) => {
    const range = around.ranges.get(seriesKey(row))
    return range === undefined ? [] : [{ row, range }]
  })
  const error = run.error ?? errorOf(observations, refused)
  const members = compareMembers(tape.exchanges, yield* recorded(manifest.id, around.fixtures))
  const probed: Probed = {
    ...about,
    outcome: observations.length === 0 ? "failed" : refused.some(isRefusal) ? "partly" : "reached",
    ...(error === undefined ? {} : { error }),
    hosts: watch.hosts(),
    rows: observations.length,
    refused,
    ...(around.proof === true ? { proof: proofOf(all, tape.exchanges) } : {}),
    absent:
      run.error === undefined
        ? absentOf(yield* expectedRows(manifest.id, around.fixtures), observations, refused)
        : [],
    members,
    broken: brokenContracts(
      tape.exchanges,
      around.contracts.filter(({ plugin }) => plugin === manifest.id)
    ),
    compared: compared.length,
    outside: compared.flatMap(({ range, row: { metric, source, symbol, value } }) =>
      isOutside(value, range) ? [{ symbol, metric, source, value, ...range }] : []
    )
  }
  return { probed, tape, rows }
})

/** What came of the proofs that a run asked for. */
const proofOf = (
  refused: ReadonlyArray<Refusal>,
  exchanges: ReadonlyArray<Exchange>
): ReadonlyArray<string> => {
  const reasons = refused.flatMap(({ reason }) => (reason.startsWith(unproved) ? [reason] : []))
  const proofs = exchanges.filter(({ request }) => asksForProof(request.body))
  if (proofs.length === 0 && reasons.length === 0) return ["nothing that it reads is proved by a chain"]
  const bytes = proofs.reduce((sum, { body }) => sum + body.length, 0)
  return reasons.length > 0
    ? [...new Set(reasons)]
    : [
        `proved by the state of its block: ${proofs.length === 1 ? "an answer" : `${proofs.length} answers`} of ${bytes} bytes`
      ]
}

const errorOf = (observations: ReadonlyArray<Observation>, refused: ReadonlyArray<Refusal>) => {
  const message = allRefused({ observations, refused })
  if (message !== undefined) return { tag: "AllRefused", message }
  return observations.length > 0 ? undefined : { tag: "NoRows", message: "the run gave no rows" }
}

/** Notes what passes through the `Upstream` of one run: exchanges, and requests without an answer. */
const watching = () => {
  const exchanges: Array<Exchange> = []
  const unanswered: Array<readonly [host: string, why: string]> = []
  return {
    exchanges,
    over: (upstream: Upstream["Service"]): Upstream["Service"] => ({
      ...upstream,
      exchange: (request) =>
        upstream.exchange(request).pipe(
          Effect.tap((exchange) => Effect.sync(() => exchanges.push(exchange))),
          Effect.tapError(({ detail }) => Effect.sync(() => unanswered.push([hostOf(request.url), detail])))
        )
    }),
    hosts: (): Probed["hosts"] => {
      const answered = Map.groupBy(exchanges, ({ request }) => hostOf(request.url))
      const failed = Map.groupBy(unanswered, ([host]) => host)
      return [...new Set([...answered.keys(), ...failed.keys()])].sort().map((host) => {
        const statuses = Map.groupBy(answered.get(host) ?? [], ({ status }) => String(status))
        return {
          host,
          answers: Object.fromEntries([...statuses].map(([status, each]) => [status, each.length])),
          unanswered: [...new Set((failed.get(host) ?? []).map(([, why]) => why))]
        }
      })
    }
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

/** Answers that show the members which the plugin's author knew. */
const recorded = Effect.fnUntraced(function* (id: string, fixtures: string) {
  const tapes = yield* Effect.forEach(referenceCases, (name) =>
    Effect.option(Fixtures.load(join(fixtures, id, name)))
  )
  return tapes.flatMap((loaded) => (Option.isSome(loaded) ? loaded.value.tape.exchanges : []))
})

/** The rows that the case `ok` gives. */
const expectedRows = (id: string, fixtures: string) =>
  Fixtures.expected(join(fixtures, id, "ok")).pipe(
    Effect.option,
    Effect.map((rows) => (Option.isSome(rows) && "observations" in rows.value ? rows.value.observations : []))
  )

/** Expected series without a row or a refusal. */
const absentOf = (
  expected: ReadonlyArray<Pick<Observation, "symbol" | "metric" | "source">>,
  rows: ReadonlyArray<Observation>,
  refused: ReadonlyArray<Refusal>
): ReadonlyArray<string> => {
  const there = new Set(rows.map(seriesKey))
  const explained = new Set(refused.map(({ metric, symbol }) => `${symbol} ${metric}`))
  return expected
    .filter(({ metric, symbol }) => !explained.has(`${symbol} ${metric}`) && !explained.has(`${symbol} *`))
    .map(seriesKey)
    .filter((key) => !there.has(key))
}

/** Records the run as a case, with the rows that it gives; a run without an answer leaves none. */
export const keep = Effect.fnUntraced(function* (plugin: Plugin, tape: Tape, fixtures: string) {
  if (tape.exchanges.length === 0) return undefined
  const { map } = yield* Egress
  const { id } = plugin.manifest
  const place = join(fixtures, id, capturedCase)
  yield* Fixtures.save(place, { plugin: id, ...madeFrom(tape, map) }, tape)
  const rows = yield* Effect.option(derived(plugin, tape))
  if (Option.isSome(rows)) yield* Fixtures.writeExpected(place, rows.value)
  return `fixtures/${id}/${capturedCase}.json`
})
