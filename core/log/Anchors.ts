/**
 * Stamps the log's checkpoints through OpenTimestamps, except those over runs alone, which the next one dates. Follows each stamp
 * into Bitcoin: pending, confirmed once a block contains it, final at six confirmations; pending again if the chain drops the
 * block, stamped again if the calendars lose it. Each step is stored before the next, so a crash only repeats the last.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { day, hour } from "../plugin/time.ts"
import { toHex, utf8 } from "../proof/bytes.ts"
import { detachedOf, parseDetached, serializeDetached } from "../proof/ots/codec.ts"
import { apply, opAppend, opSha256 } from "../proof/ots/op.ts"
import { along, attested, merge, type Timestamp, upgraded, without } from "../proof/ots/timestamp.ts"
import { heightsOf, verifyTimestamp } from "../proof/ots/verify.ts"
import { Changes } from "../readings/Changes.ts"
import { Stamped } from "../readings/read/listing.ts"
import { symbolsUnder } from "../readings/read/stamped.ts"
import { Versions } from "../readings/read/Versions.ts"
import { rowsOf } from "../sql/rows.ts"
import { Blocks } from "./Blocks.ts"
import { Calendars } from "./Calendars.ts"
import { Claimant, stampClaimsOf } from "./claims.ts"
import { LogKey } from "./Log.ts"
import { sha256 } from "./leaves.ts"

/** Calendars that must accept a stamp; fewer only if fewer are configured. */
const required = 2
/** Confirmations at which an anchor is final. */
const confirmations = 6
/** A promise this old without a block counts as lost: calendars commit within hours, but some have lost stamps. */
const lostAfter = 4 * day
/** How often to ask for an open anchor; a calendar waits hours for its block. */
const retryInterval = hour
/** Checkpoints and anchors per round. */
const batchLimit = 50

const OpenAnchor = Schema.Struct({
  id: Schema.Int,
  size: Schema.Int,
  state: Schema.Literals(["pending", "confirmed"]),
  proof: Schema.Uint8Array,
  stamped_at: Schema.Date,
  block_hash: Schema.NullOr(Schema.String)
})
interface OpenAnchor extends Schema.Schema.Type<typeof OpenAnchor> {}

const anchorRows = rowsOf(OpenAnchor.fields)
const checkpointRows = rowsOf({ size: Schema.Int, note: Schema.String })
const sizeRows = rowsOf({ size: Schema.NullOr(Schema.Int) })

export class Anchors extends Context.Service<
  Anchors,
  {
    /**
     * One round: stamps new checkpoints and updates open anchors. External failures are stored as the reason of a `none`
     * anchor or retried in the next round; the log never waits.
     */
    readonly run: Effect.Effect<void, SqlError>
    /** Networks with a value in a batch that a block contains, without a query. */
    readonly stamped: Effect.Effect<ReadonlySet<string>>
  }
>()("core/log/Anchors") {
  /** Provides `stamped` to the lists of the read side. */
  static readonly layerStamped = Layer.effect(
    Stamped,
    Effect.map(Anchors, ({ stamped }) => stamped)
  )

  static readonly layer = Layer.effect(
    Anchors,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const calendars = yield* Calendars
      const blocks = yield* Blocks
      const versions = yield* Versions
      const changes = yield* Changes
      const random = yield* SecureRandom
      const { simulated } = yield* LogKey
      const claims = stampClaimsOf(sql, (yield* Claimant) ?? randomUUID())

      /** Writes about anchors, and tells of it, in one transaction. */
      const noting = <A, E, R>(write: Effect.Effect<A, E, R>) =>
        sql.withTransaction(Effect.andThen(write, changes.tell("anchors")))

      /** Submits a digest to all calendars at once. Returns the proof, or why there is none. */
      const submit = Effect.fnUntraced(function* (digest: Uint8Array) {
        // A calendar learns nothing of what it stamps, and a second stamp of one checkpoint is another commitment.
        const ops = [opAppend(yield* random.randomBytes(16)), opSha256]
        const commitment = ops.reduce((message, op) => apply(op, message), digest)
        const answers = yield* Effect.forEach(
          calendars.addresses,
          (address) => Effect.result(calendars.submit(address, commitment)),
          { concurrency: "unbounded" }
        )
        const stamps = answers.flatMap((answer) => (answer._tag === "Success" ? [answer.success] : []))
        const troubles = answers.flatMap((answer) =>
          answer._tag === "Failure" ? [answer.failure.message] : []
        )
        const [first, ...others] = stamps
        const needed = Math.max(1, Math.min(required, calendars.addresses.length))
        if (first === undefined || stamps.length < needed) {
          return `${stamps.length} of ${calendars.addresses.length} calendars accepted the stamp (${needed} required): ${troubles.join("; ") || "none is set"}`
        }
        if (troubles.length > 0) yield* Effect.logWarning("a calendar did not accept a stamp", { troubles })
        return along(digest, ops, () => others.reduce(merge, first).items)
      })

      const stamp = Effect.fn("Anchors.stamp")(function* (now: number) {
        const open = yield* sql`
          select size, note from checkpoint c
          where not c.gathered and not exists (select 1 from anchor a where a.size = c.size and a.state <> 'lost')
          order by size limit ${batchLimit}`.pipe(checkpointRows)
        for (const { note, size } of open) {
          // Another process asks the calendars about this one.
          if (!(yield* claims.take(size))) continue
          const digest = sha256(utf8(note))
          const proof = yield* Effect.onInterrupt(submit(digest), () => Effect.ignore(claims.release(size)))
          if (typeof proof === "string") {
            yield* Effect.logWarning("a checkpoint could not be stamped", { size, reason: proof })
            yield* noting(sql`
              insert into anchor_failure (size, reason, tried_at) values (${size}, ${proof}, ${new Date(now)})
              on conflict (size) do update set reason = excluded.reason, tried_at = excluded.tried_at`)
            yield* claims.release(size)
            // The others would fail alike; the next round retries.
            return
          }
          const stamped = sql`insert into anchor ${sql.insert({
            size,
            state: "pending",
            network: blocks.network,
            digest: toHex(digest),
            proof: serializeDetached(detachedOf(proof)),
            stamped_at: new Date(now)
          })} on conflict (size) where state <> 'lost' do nothing`
          yield* noting(Effect.andThen(stamped, sql`delete from anchor_failure where size = ${size}`))
          yield* claims.release(size)
        }
      })

      /** The available headers at these heights. */
      const headersOf = Effect.fnUntraced(function* (heights: ReadonlyArray<number>) {
        const headers = new Map<number, string>()
        for (const height of heights) {
          const header = yield* Effect.result(blocks.header(height))
          if (header._tag === "Success") headers.set(height, header.success)
          else yield* Effect.logWarning("block header unavailable", { reason: header.failure.message })
        }
        return headers
      })

      /** The proof with everything the calendars know by now, without paths to blocks that are not in the chain. */
      const upgradedProof = Effect.fnUntraced(function* (proof: Timestamp, state: OpenAnchor["state"]) {
        let whole = proof
        for (const { attestation, message } of attested(proof)) {
          // A block is enough: the calendars are asked again only if the chain leaves it.
          if (attestation.kind !== "pending" || state === "confirmed") continue
          const answer = yield* Effect.result(calendars.upgrade(attestation.uri, message))
          if (answer._tag === "Failure") {
            yield* Effect.logWarning("calendar has no upgrade", { reason: answer.failure.message })
          } else if (Option.isSome(answer.success)) {
            whole = upgraded(whole, answer.success.value) ?? whole
          }
        }
        const headers = yield* headersOf(heightsOf(whole, blocks.network))
        const wrong = heightsOf(whole, blocks.network).filter((height) => {
          const at = without(whole, (one) => one.kind !== blocks.network || one.height !== height)
          return at !== undefined && verifyTimestamp(at, headers, blocks.network).status === "failed"
        })
        const right = without(whole, (one) => one.kind === blocks.network && wrong.includes(one.height))
        return { proof: right ?? proof, headers }
      })

      const follow = Effect.fnUntraced(function* (row: OpenAnchor, now: number) {
        const before = parseDetached(row.proof).timestamp
        const { headers, proof } = yield* upgradedProof(before, row.state)
        const outcome = verifyTimestamp(proof, headers, blocks.network)
        const bytes = serializeDetached(detachedOf(proof))
        if (outcome.status === "verified") {
          const { header, height } = outcome.block
          const tip = yield* Effect.result(blocks.tip)
          const final = tip._tag === "Success" && tip.success - height + 1 >= confirmations
          yield* noting(sql`
            update anchor set state = ${final ? "final" : "confirmed"}, proof = ${bytes}, asked_at = ${new Date(now)},
              block_height = ${height}, block_hash = ${header.hash}, block_header = ${headers.get(height) ?? null},
              block_time = ${new Date(header.time * 1000)}
            where id = ${row.id}`)
          return
        }
        // A block whose header cannot be had just now says nothing against the anchor.
        if (outcome.status === "unchecked") {
          yield* noting(
            sql`update anchor set proof = ${bytes}, asked_at = ${new Date(now)} where id = ${row.id}`
          )
          return
        }
        if (row.state === "confirmed") {
          yield* Effect.logWarning("the chain dropped a block that contained an anchor", {
            size: row.size,
            block: row.block_hash
          })
        }
        const lost = now - row.stamped_at.getTime() > lostAfter
        if (lost) yield* Effect.logWarning("calendars lost a stamp; stamping again", { size: row.size })
        yield* noting(sql`
          update anchor set state = ${lost ? "lost" : "pending"}, proof = ${bytes}, asked_at = ${new Date(now)},
            block_height = null, block_hash = null, block_header = null, block_time = null
          where id = ${row.id}`)
      })

      const upgrade = Effect.fn("Anchors.upgrade")(function* (now: number) {
        const open = yield* sql`
          select id, size, state, proof, stamped_at, block_hash from anchor
          where state in ('pending', 'confirmed') and network = ${blocks.network}
            and (asked_at is null or asked_at <= ${new Date(now - retryInterval)})
          order by asked_at nulls first, id limit ${batchLimit}`.pipe(anchorRows)
        for (const row of open) yield* follow(row, now)
      })

      let stamped: ReadonlySet<string> = new Set()
      let coveredSize = 0

      /** Reloads the stamped networks when a block covers more of the log than before. */
      const refresh = Effect.fnUntraced(function* () {
        const [covered] = yield* sql`
          select max(size) as size from anchor where state in ('confirmed', 'final')`.pipe(sizeRows)
        const size = covered?.size ?? 0
        if (size === coveredSize) return
        stamped = yield* Effect.provideService(symbolsUnder(size), SqlClient.SqlClient, sql)
        coveredSize = size
        yield* versions.touched("anchors")
      })
      yield* refresh()
      yield* changes.onElsewhere("anchors", refresh())

      const run = Effect.gen(function* () {
        // What the demo signs is not anchored, and no calendar is contacted for it.
        if (simulated) return
        const now = yield* DataClock.now
        yield* upgrade(now)
        yield* stamp(now)
        yield* refresh()
      }).pipe(Effect.withSpan("Anchors.run"))

      return Anchors.of({ run, stamped: Effect.sync(() => stamped) })
    })
  ).pipe(Layer.provide(Changes.layer))
}
