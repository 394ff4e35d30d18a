/** `derivation_replay`: the raw payloads of one collector run, so buyers can hash them and repeat the derivation. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { derivationOf } from "../../log/record/derivation.ts"
import { Sources } from "../../log/Sources.ts"
import { isoTime } from "../../plugin/Value.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { collectedWell } from "../../readings/ingest/collected.ts"
import { mayUse } from "../../rights/mayUse.ts"
import { inForce } from "../../rights/Permissions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotForResale, ProductUnavailable } from "../../wire/problems/purchases.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { sold } from "../build.ts"
import { ofWords } from "../shared/coverage.ts"
import definition, { type DerivationReplay, type RawBody } from "./definition.ts"

const key = "derivation_replay"

const idRows = rowsOf({ id: Schema.String })

/** Limit on the total body bytes of one purchase. */
export const mostBytes = 8 * 1024 * 1024

const decompress = promisify(zstdDecompress)

const encoded = (bytes: Uint8Array): RawBody => {
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return { encoding: "utf-8", content }
  } catch {
    return { encoding: "base64", content: Buffer.from(bytes).toString("base64") }
  }
}

const without = (withheld: NonNullable<RawBody["withheld"]>): RawBody => ({
  encoding: null,
  content: null,
  withheld
})

/** An unreadable disk does not mean that the bodies are gone, so the product is unavailable meanwhile. */
const unreadable = () =>
  Effect.fail(
    new ProductUnavailable({
      product_key: key,
      message: `${key}: the payloads cannot be read right now; try again later. Nothing was charged.`
    })
  )

/** The body with this hash, or why it is withheld. Bytes that do not match the hash are never delivered. */
const bodyOf = Effect.fnUntraced(function* (sha256: string) {
  const body = yield* (yield* Blobs).get(sha256).pipe(Effect.catchTag("BlobsUnavailable", unreadable))
  if (Option.isNone(body)) return without("gone")
  // biome-ignore lint/plugin/promise: unpacks in memory; a body that cannot be unpacked is caught inside
  return yield* Effect.promise(async () => {
    const bytes = await decompress(body.value, { maxOutputLength: mostBytes }).catch(() => undefined)
    return bytes !== undefined && createHash("sha256").update(bytes).digest("hex") === sha256
      ? encoded(bytes)
      : without("damaged")
  })
})

/** The collectors whose upstreams allow that their bodies are handed on, by what somebody has read. */
const sellable = Effect.gen(function* () {
  const permissions = yield* inForce
  const { manifests } = yield* Feeds
  return manifests.filter((manifest) => mayUse(manifest, "bodies", permissions)).map(({ id }) => id)
})

/** The newest complete run whose bodies may be redistributed and fit into one answer. */
const newest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const plugins = yield* sellable
  if (plugins.length === 0) {
    return yield* new NotForResale({
      product_key: key,
      message: `${key}: of no collector's upstream it is known that its terms allow resale. Nothing was charged.`
    })
  }
  const [run] = yield* sql`
    select r.id from run r
    where ${sql.literal(collectedWell("r"))} and r.plugin = any(${texts(plugins)})
      and (select coalesce(sum(e.size), 0) from exchange e where e.run = r.id) between 1 and ${mostBytes}
    order by r.id desc limit 1`.pipe(idRows)
  return (
    run?.id ??
    (yield* new ProductUnavailable({
      product_key: key,
      message: `${key}: no run with redistributable payloads exists yet. Nothing was charged.`
    }))
  )
})

export const replayCoverage = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const plugins = yield* sellable
  const run = yield* newest.pipe(
    Effect.catchTag(["NotForResale", "ProductUnavailable"], () => Effect.succeed(undefined))
  )
  const covers = ofWords(
    run === undefined
      ? "No run whose payloads may be resold yet"
      : `The payloads of one run; without an input, ${run}, the newest that may be resold`,
    `Payloads of ${manifests.length - plugins.length} of ${manifests.length} collectors, whose upstream does not allow that they are handed on, or of which nobody has read that it does; asking for one is refused with not_for_resale, and nothing is charged`,
    "Payloads past their retention"
  )
  return run === undefined ? { ...covers, deliverable: false as const } : covers
})

const requestedRun = Effect.fnUntraced(function* (run: unknown) {
  if (run === undefined) return yield* newest
  if (typeof run === "string") return run
  return yield* new BadParameter({
    field: "run",
    message: "run must be a string: a run id from /v1/derivation."
  })
})

/**
 * `run` is a run id from `/v1/derivation`; by default the newest run whose bodies may be redistributed. A run without any
 * deliverable body is not sold. Fails with `BadParameter`, `NotForResale` and `ProductUnavailable`.
 */
export const derivationReplay = Effect.fn("Products.derivationReplay")(function* (
  inputs: Readonly<Record<string, unknown>> = {}
) {
  const id = yield* requestedRun(inputs["run"])
  const { exchanges, ...run } = yield* derivationOf(id).pipe(
    Effect.catchTag("BlobsUnavailable", unreadable),
    Effect.catchTag("NotDerived", ({ message }) =>
      Effect.fail(
        new BadParameter({ field: "run", message: `run: ${message}; /v1/derivation lists all runs.` })
      )
    )
  )
  if (!run.resell) {
    return yield* new NotForResale({
      product_key: key,
      plugin: run.plugin,
      message: `run ${id}: nobody has read that the terms of ${run.plugin}'s upstream allow its payloads to be resold; its hashes are free at /v1/derivation/${id}. Nothing was charged.`
    })
  }
  const size = exchanges.reduce((sum, exchange) => sum + exchange.size, 0)
  if (size > mostBytes) {
    return yield* new BadParameter({
      field: "run",
      message: `run: the bodies of ${id} total ${size} bytes; one purchase delivers at most ${mostBytes}. Nothing was charged.`
    })
  }
  const delivered = yield* Effect.forEach(exchanges, ({ body_kept: _, ...exchange }) =>
    Effect.map(bodyOf(exchange.sha256), (body) => ({ ...exchange, body }))
  )
  const available = delivered.filter(({ body }) => body.content !== null)
  if (available.length === 0) {
    return yield* new ProductUnavailable({
      product_key: key,
      message: `run ${id}: its payloads are no longer stored; its hashes are free at /v1/derivation/${id}. Nothing was charged.`
    })
  }
  const code = yield* (yield* Sources).find(run.code_hash)
  return {
    generated_utc: isoTime(yield* DataClock.now),
    run,
    bytes_delivered: available.reduce((sum, exchange) => sum + exchange.size, 0),
    n_delivered: available.length,
    n_withheld: delivered.length - available.length,
    exchanges: delivered,
    targets: { sha256: run.targets_sha256, body: yield* bodyOf(run.targets_sha256) },
    files: Option.match(code, { onNone: () => null, onSome: ({ files }) => files }),
    methodology: {
      formula:
        "SHA-256(bytes of content) = sha256; the files of code_hash, given run.now, run.settings, targets and the exchanges, " +
        "produce n_rows rows with the hash rows_sha256",
      fields: ["exchanges[].sha256", "run.targets_sha256", "run.code_hash", "run.rows_sha256"],
      rules: [
        "Without run: the newest completed run of a collector whose upstream's terms were read and allow resale; a run of another is refused with not_for_resale.",
        `One purchase delivers at most ${mostBytes} bytes of bodies; a larger run is rejected and not charged.`,
        "A body that is no longer stored is marked gone; its hash is kept forever. A run with no deliverable body is not sold.",
        "To repeat the derivation, save this answer and run plumbline verify derivation <run> --from <file> in a checkout of the " +
          "same code (code_hash; core/proof/formats/derivation.md)."
      ]
    }
  } satisfies DerivationReplay
})

export default {
  sale: sold(definition, ({ inputs }) => derivationReplay(inputs), {
    covers: replayCoverage,
    holds: ({ n_delivered }) => n_delivered > 0
  })
}
