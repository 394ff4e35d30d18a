/**
 * A settled service, as readers meet it: closed days whose runs are in the log, archive files of them, a revision, a rotation of the
 * log's key, a witness, a notary, an observer, the ledger of signals, and purchases with and without a warranty. Every client, verifier, recipe and vector is tried on it: one that starts empty hides what a log adds.
 */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { Clock, Context, Effect, Layer, Option, Redacted, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { NewestCheckpoint } from "../../core/credits/NewestCheckpoint.ts"
import type { Product } from "../../core/credits/Product.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { headToDrawBy } from "../../core/log/drawingHeads.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { type Witness, Witnesses } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { parseCosigner } from "../../core/proof/cosignature.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { Signals } from "../../core/publications/Signals.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import type { CheckpointName } from "../../core/wire/credits/checkpointName.ts"
import type { Requirements } from "../../core/wire/credits/x402.ts"
import * as WitnessesOutside from "../../runtime/outside/witnesses.ts"
import * as Self from "../../runtime/outside/x402/self.ts"
import { rotateLog } from "../../runtime/service/newKeys.ts"
import { accountOf } from "./alerts.ts"
import * as Archives from "./archive.ts"
import { Chain, usdc } from "./base.ts"
import { postgres } from "./database.ts"
import { freePort } from "./freePort.ts"
import { noteOf, statedExchange, statingNotary } from "./notary/statements.ts"
import * as Operators from "./operators.ts"
import { encode, payloadOf, sign } from "./payments.ts"
import * as Runs from "./runs.ts"
import { Service } from "./service.ts"
import { merchant, products } from "./shop.ts"
import { usualTerms, warranted } from "./warranty.ts"
import { newWitness, runWitness } from "./witness.ts"

const hour = 3_600_000
/** Days that are closed, the first one first. */
export const closedDays = ["2026-09-03", "2026-09-04", "2026-09-05"] as const
/** The series that all of it is about. */
export const settledValue = { symbol: "FIL", metric: "nodes_online" } as const

interface Settled {
  /** Where it is reached, which is its own address. */
  readonly base: string
  /** Kids and verifier keys that an operator would publish: of answers, and of the log before and after the rotation. */
  readonly keys: { readonly answers: string; readonly log: string; readonly rotated: string }
  readonly witness: string
  readonly notary: string
  readonly observer: string
  /** What a purchase answered, with its receipt: of a product without covered values, and with a warranty. */
  readonly sale: string
  readonly warrantedSale: string
  /** Where it is paid. */
  readonly payTo: string
  /** An API key that may read the ledger of signals. */
  readonly apiKey: string
}

/** Of a product whose rows are those of the last closed day. */
const sold: Product = {
  key: "depin_networks",
  build: () =>
    Effect.succeed({
      rows: rows(closedDays[2], Date.parse(`${closedDays[2]}T20:00:00Z`) - 60_000).map(
        ({ as_of, metric, source, symbol, unit, value, verify_url }) => ({
          symbol,
          metric,
          source,
          as_of,
          unit,
          value,
          verify_url
        })
      )
    })
}

/** What receipts name: the head of the log, once there is one. */
let newestHead: Effect.Effect<CheckpointName | null, SqlError> = Effect.succeed(null)

/** The values of the fixture are from September, and it is sold today. */
const warrantyTerms = { ...usualTerms, greatestAgeHours: 24 * 365 * 20 }

/** A service that sells on a chain of its own and has a witness; nothing is in its log yet. */
const parts = Layer.unwrap(
  Effect.gen(function* () {
    const chain = yield* Chain
    const { key, payTo } = yield* merchant
    const { folder, vkey: witnessKey } = yield* Effect.orDie(newWitness([]))
    const [port, witnessPort] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
    const witness: Witness = {
      name: "w1",
      key: parseCosigner(witnessKey),
      url: `http://127.0.0.1:${witnessPort}`
    }
    const { settler } = Self.make({
      rpcUrl: chain.rpcUrl,
      chainId: 8453,
      asset: usdc,
      payTo,
      key: Redacted.make(key)
    })
    return Layer.mergeAll(
      Archive.layer.pipe(Layer.provide(Archives.drafts)),
      Cosignatures.layer,
      RunLog.layer
    ).pipe(
      Layer.provideMerge(WitnessHeads.layer),
      Layer.provideMerge(
        WitnessesOutside.layer(() => ({ all: [witness], quorum: quorumOf([witness.key], 1) }))
      ),
      Layer.provideMerge(
        Service.layer({
          database: postgres,
          manifests,
          port,
          products: [...products.filter(({ key }) => key !== sold.key), sold],
          settler
        })
      ),
      Layer.provideMerge(warranted(warrantyTerms)),
      Layer.provideMerge(
        Layer.succeed(
          NewestCheckpoint,
          Effect.suspend(() => newestHead)
        )
      ),
      Layer.provideMerge(Layer.succeed(Setting, { folder, payTo, witnessKey, witnessPort }))
    )
  })
)

class Setting extends Context.Service<
  Setting,
  {
    readonly folder: string
    readonly payTo: string
    readonly witnessKey: string
    readonly witnessPort: number
  }
>()("test/Setting") {}

/** The feed of the operators, and the metric of the recipes. */
const manifests = Operators.manifests.map((manifest) => ({
  ...manifest,
  covers: { networks: ["FIL", "SC", "STORJ"] },
  metrics: {
    ...manifest.metrics,
    active_storage_providers: { unit: "count", min: 0, meaning: "Providers with power." } as const
  }
}))

/** What the recipes ask for: of each day one value of both networks. */
export const providers = (day: (typeof closedDays)[number]) =>
  (["FIL", "SC"] as const).map((symbol, n) => ({
    symbol,
    value: 10 + n * 5 + closedDays.indexOf(day) ** 2
  }))

const rows = (day: string, at: number) =>
  (["nodes_online", "storage_bytes"] as const).map((metric, n) =>
    Runs.row(100 + n + Number(day.slice(-2)), isoTime(at), {
      metric,
      unit: metric === "nodes_online" ? "count" : "bytes"
    })
  )

/** A network that is read on the first day only. */
export const goneAfterwards = "STORJ"

/** On the second day the upstream gives another value for the first. */
const restated = (day: (typeof closedDays)[number]) =>
  day === closedDays[1]
    ? rows(closedDays[0], Date.parse(`${closedDays[0]}T20:00:00Z`) - 60_000)
        .filter(({ metric }) => metric === "storage_bytes")
        .map((row) => ({ ...row, value: row.value + 1 }))
    : []

/** The readings of a day in the evening, as one run that a notary carried. */
const read = Effect.fnUntraced(function* (
  day: (typeof closedDays)[number],
  notary: ReturnType<typeof statingNotary>
) {
  const at = Date.parse(`${day}T20:00:00Z`)
  yield* TestClock.setTime(at)
  const { bodies, run } = Runs.delivery(at, [
    ...rows(day, at - 60_000),
    ...restated(day),
    ...(day === closedDays[0] ? [Runs.row(7, isoTime(at - 60_000), { symbol: goneAfterwards })] : []),
    ...providers(day).map(({ symbol, value }) =>
      Runs.row(value, isoTime(at - 60_000), { symbol, metric: "active_storage_providers" })
    )
  ])
  const head = yield* headToDrawBy
  if (head === undefined) return yield* Effect.die(new Error("no head to draw by"))
  const drawn = { ...run, lot: { head, notary: notary.vkey, from: [notary.vkey] } }
  yield* (yield* Ingest).write({ bodies, run: drawn })
  const note = noteOf(
    notary,
    "stats.example.net",
    run.exchanges.map((exchange) => statedExchange(exchange)),
    { collector: (yield* LogKey).origin }
  )
  yield* keepNotes({ run: run.id, notes: [note], exchanges: [{ n: 0, notes: [noteHash(note)] }] }, [
    notary.verifier
  ])
  yield* TestClock.setTime(at + 2 * hour)
  yield* (yield* RunLog).run
})

/** The same readings of another operator, who closes the day at the same time. */
const observed = Effect.fnUntraced(function* (day: string) {
  const at = Date.parse(`${day}T20:00:00Z`)
  yield* (yield* Ingest).write(Runs.delivery(at, rows(day, at - 60_000)))
})

/** Does it at the time of this machine, which is that of chains and of whoever verifies. */
export const today = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* TestClock.setTime(Date.now())
    const result = yield* work
    yield* TestClock.setTime(now)
    return result
  })

/** Of this machine's time: longer than a service waits for its chain. */
const longestSale = "30 seconds"

/** Buys a product per request with a new wallet; gives the answer with its receipt. */
export const buy = Effect.fnUntraced(function* (product: string) {
  const chain = yield* Chain
  const { call } = yield* Service
  const payer = privateKeyToAccount(generatePrivateKey())
  yield* chain.mint(payer.address, 100_000_000n)
  const path = `/x402/v1/data/${product}`
  const offered = yield* call(path)
  const required = JSON.parse(
    Buffer.from(String(offered.headers["payment-required"]), "base64").toString("utf8")
  ) as { readonly accepts: ReadonlyArray<Requirements> }
  const [offer] = required.accepts
  if (offer === undefined) return yield* Effect.die(new Error("no offer"))
  const signed = yield* Effect.promise(() => sign(payer, offer))
  const headers = { "PAYMENT-SIGNATURE": encode(payloadOf(signed, offer)) }
  const sold = yield* today(TestClock.withLive(Effect.timeoutOption(call({ path, headers }), longestSale)))
  if (Option.isNone(sold)) return yield* Effect.die(new Error(`${product}: no answer in ${longestSale}`))
  const { body, headers: received, status } = sold.value
  if (status !== 200)
    return yield* Effect.die(
      new Error(`${product} is not sold: ${status} ${JSON.stringify(received)} ${body}`)
    )
  return body.toString("utf8")
})

type ServeWitness = (folder: string, port: number) => Effect.Effect<unknown, never, Scope.Scope>

/** `serve` serves the witness of a folder at a port; a process of its own cosigns by this machine's time. */
const settle = Effect.fnUntraced(function* (serve: ServeWitness, isProcess: boolean) {
  const { folder, payTo, witnessKey, witnessPort } = yield* Setting
  const { port } = yield* Service
  const logKeys = yield* LogKey
  const logKey = () => logKeys.keys().find(({ notAfter, purpose }) => purpose === "log" && notAfter === null)
  const first = logKey()
  if (first === undefined) return yield* Effect.die(new Error("no key of the log"))
  appendFileSync(join(folder, "logs"), `log ${vkey(logKeys.origin, first.publicKey)}\n`)
  yield* serve(folder, witnessPort)
  const notary = statingNotary(1)
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(Date.parse(`${closedDays[0]}T12:00:00Z`))
  // Notaries are drawn by a head, so the log has one before the first of them is.
  yield* (yield* Ingest).write(Runs.delivery(Date.parse(`${closedDays[0]}T10:30:00Z`), []))
  yield* (yield* RunLog).run
  const other = yield* Operators.startOperator("other.test/log")
  const observer = yield* Effect.provide(Operators.named, other)
  for (const [n, day] of closedDays.entries()) {
    yield* read(day, notary)
    yield* Effect.provide(observed(day), other)
    const closing = isoTime(Date.parse(`${day}T20:00:00Z`) + 12 * hour)
    yield* Operators.closeAt(closing)
    // The origin of the day.
    yield* (yield* RunLog).run
    yield* Effect.provide(Operators.closeAt(closing), other)
    yield* Operators.agreement([observer])
    if (n === 0) yield* rotateLog(Date.parse(closing))
    yield* (yield* EventLog).run
    yield* (yield* Archive).run
    yield* (yield* Signals).run
  }
  const { all } = yield* Witnesses
  yield* TestClock.adjust("1 minute")
  const offering = Effect.forEach(all, (yield* Cosignatures).offer, { discard: true })
  yield* isProcess ? today(offering) : offering
  yield* sql`analyze`
  const { served } = yield* Log
  newestHead = Effect.map(served, ({ note, root, size }) =>
    note === null ? null : { origin: logKeys.origin, size, root }
  )
  const answers = logKeys.keys().find(({ purpose }) => purpose === "answers")
  const settled: Settled = {
    base: `http://127.0.0.1:${port}`,
    keys: {
      answers: answers === undefined ? "" : thumbprint(answers.publicKey),
      log: thumbprint(first.publicKey),
      rotated: thumbprint((logKey() ?? first).publicKey)
    },
    witness: witnessKey,
    notary: notary.vkey,
    observer: observer.url,
    sale: yield* buy("depin_provenance"),
    warrantedSale: yield* buy(sold.key),
    payTo,
    apiKey: (yield* accountOf("enterprise")).key
  }
  return settled
})

/** The settled service, and what a reader knows of it from elsewhere. */
export class SettledService extends Context.Service<SettledService, Settled>()("test/SettledService") {
  static readonly #layerOf = (serve: ServeWitness, isProcess: boolean) =>
    Layer.effect(SettledService, settle(serve, isProcess)).pipe(
      Layer.provideMerge(parts),
      Layer.provideMerge(Chain.layer),
      Layer.orDie
    )

  static readonly layer = SettledService.#layerOf(
    (folder, port) => Effect.orDie(runWitness(folder, port)),
    false
  )

  /** The same with a witness that runs in a process of its own. */
  static readonly layerWith = (serve: ServeWitness) => SettledService.#layerOf(serve, true)
}
