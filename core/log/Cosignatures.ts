/**
 * Offers every head of the log to its witnesses and keeps their cosignatures. The log never waits: a witness that is away,
 * slow or dishonest lacks in the list until it cosigns.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { hour, minute } from "../plugin/time.ts"
import { Malformed } from "../proof/bytes.ts"
import { noteKeyText, parseNote, signatureLine } from "../proof/checkpoint.ts"
import { type Cosigner, cosignaturesOf, parseLines } from "../proof/cosignature.ts"
import { consistencyProof } from "../proof/merkle.ts"
import { isMet } from "../proof/policy.ts"
import { Changes } from "../readings/Changes.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { rowsOf } from "../sql/rows.ts"
import { addCheckpointText } from "./addCheckpoint.ts"
import { RequiredQuorum, treeAt } from "./heads.ts"
import { Log } from "./Log.ts"
import { type Witness, Witnesses, WitnessTrouble } from "./Witnesses.ts"
import { WitnessHeads } from "./WitnessHeads.ts"

/** How often a witness is told a head that has not changed. */
const again = hour
/** After a failure a witness is left alone for this long. */
const rest = minute
/** How far a witness's clock may be from ours. Its time counts as evidence of ours, so it must be of now. */
const clockTolerance = 5 * minute
/** Heads per round. A witness that was away for longer gets the newest. */
const round = 50

/** How a witness fares. */
export interface WitnessState {
  readonly name: string
  /** Size of the largest head that it cosigned, as far as this process knows; 0 for none. */
  readonly size: number
  /** What is wrong, and since when (epoch milliseconds); undefined if it follows. */
  readonly trouble: { readonly message: string; readonly since: number } | undefined
}

export interface Witnessing {
  readonly witnesses: ReadonlyArray<WitnessState>
  /** True if enough of them have cosigned the newest head. */
  readonly hasQuorum: boolean
}

/** The state of the witnesses for probes, from memory. */
export const WitnessStates = Context.Reference<Effect.Effect<Witnessing>>(
  "core/log/Cosignatures/WitnessStates",
  { defaultValue: () => Effect.succeed({ witnesses: [], hasQuorum: true }) }
)

const checkpointRows = rowsOf({ size: Schema.Int, note: Schema.String })
const sizeRows = rowsOf({ size: Schema.NullOr(Schema.Int) })
const stateRows = rowsOf({
  witness: Schema.String,
  size: Schema.Int,
  message: Schema.NullOr(Schema.String),
  since: Schema.NullOr(Schema.Date)
})

export class Cosignatures extends Context.Service<
  Cosignatures,
  {
    /**
     * Offers a witness the heads that it has not cosigned, and the newest again every hour. Whatever the witness does is
     * no failure: it is logged when it changes, and retried later.
     */
    readonly offer: (witness: Witness) => Effect.Effect<void, SqlError>
    /** Reads how the witnesses fare: another process may be the one that offers heads to them. */
    readonly hear: Effect.Effect<void, SqlError>
    readonly states: Effect.Effect<Witnessing>
  }
>()("core/log/Cosignatures") {
  /** Provides the states to `/readyz`. */
  static readonly layerStates = Layer.effect(
    WitnessStates,
    Effect.map(Cosignatures, ({ states }) => states)
  )

  static readonly layer = Layer.effect(
    Cosignatures,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const changes = yield* Changes
      const log = yield* Log
      const heads = yield* WitnessHeads
      const witnesses = yield* Witnesses
      const requiredQuorum = yield* RequiredQuorum
      const states = new Map<Witness, WitnessState>()
      const restUntil = new Map<Witness, number>()

      const stateOf = (witness: Witness): WitnessState =>
        states.get(witness) ?? { name: witness.name, size: 0, trouble: undefined }

      /** The newest head that a witness cosigned, as the database knows it. */
      const lastOf = Effect.fnUntraced(function* (witness: Witness) {
        const [last] = yield* sql`
          select max(size) as size from cosignature where witness = ${noteKeyText(witness.key)}`.pipe(
          sizeRows
        )
        return last?.size ?? 0
      })

      /** Heads that the witness should cosign now, oldest first; one over runs alone only while it is the newest. */
      const due = Effect.fnUntraced(function* (witness: Witness, from: number, to: number, now: number) {
        const rows = yield* sql`
          select c.size, c.note from checkpoint c
          where c.size >= ${from} and c.size <= ${to} and (not c.gathered or c.size = ${to}) and not exists (
            select 1 from cosignature s where s.size = c.size and s.witness = ${noteKeyText(witness.key)}
              and (c.size < ${to} or s.at > ${new Date(now - again)})
          )
          order by c.size desc limit ${round}`.pipe(checkpointRows)
        return rows.toReversed()
      })

      /** Fails if a witness claims a larger head than the log has; another process may have signed one just now. */
      const requireSize = Effect.fnUntraced(function* (claimedSize: number) {
        if ((yield* log.signed).size >= claimedSize) return
        const { size } = yield* log.refresh
        if (size >= claimedSize) return
        return yield* new WitnessTrouble({
          message: `it says that it cosigned ${claimedSize} entries of this log, which has ${size}`
        })
      })

      /** The proof that the log of `to` entries extends the one of `from`. */
      const proof = Effect.fnUntraced(function* (from: number, to: number) {
        const { tree } = yield* log.signed
        return consistencyProof(treeAt(tree, to), from)
      })

      /** Offers one head. Returns its cosignature, or the size that the witness holds if that is larger. */
      const ask = Effect.fnUntraced(function* (witness: Witness, head: Head, witnessSize: number) {
        const offer = Effect.fnUntraced(function* (oldSize: number) {
          const path = yield* proof(oldSize, head.size)
          return yield* witnesses.offer(witness, addCheckpointText({ oldSize, path, note: head.note }))
        })
        const first = yield* offer(witnessSize)
        if ("lines" in first) return yield* verified(witness.key, head.note, first.lines)
        yield* requireSize(first.holds)
        if (first.holds > head.size) return first
        const second = yield* offer(first.holds)
        if ("lines" in second) return yield* verified(witness.key, head.note, second.lines)
        return yield* new WitnessTrouble({
          message: `it named the size ${first.holds} and then refused a proof from there`
        })
      })

      const keep = Effect.fnUntraced(function* (witness: Witness, head: Head, cosignature: Verified) {
        const name = noteKeyText(witness.key)
        const row = {
          size: head.size,
          witness: name,
          line: cosignature.line,
          at: new Date(cosignature.timestamp * 1000)
        }
        yield* sql`insert into cosignature ${sql.insert(row)} on conflict do nothing`.pipe(
          // The first dates the head and the last says that it is fresh; what lies between says nothing more.
          Effect.andThen(sql`
            delete from cosignature s where s.size = ${head.size} and s.witness = ${name}
              and s.at > (select min(at) from cosignature where size = s.size and witness = s.witness)
              and s.at < (select max(at) from cosignature where size = s.size and witness = s.witness)`),
          Effect.andThen(changes.tell("cosignatures")),
          // Where it may be what the head waits for, all that is served of the log changes with it, once it is read.
          Effect.andThen(requiredQuorum() === undefined ? Effect.void : changes.record(["log"])),
          sql.withTransaction
        )
        if (requiredQuorum() !== undefined) yield* log.refresh
        yield* heads.keep(witness, head.note)
        states.set(witness, { ...stateOf(witness), size: Math.max(head.size, stateOf(witness).size) })
      })

      /** One round; fails with what is wrong with the witness. */
      const follow = Effect.fnUntraced(function* (witness: Witness, now: number) {
        if ((yield* log.signed).note === null) return
        yield* heads.look(witness)
        const rememberedHead = yield* heads.of(witness)
        let witnessSize = rememberedHead?.size ?? (yield* lastOf(witness))
        yield* requireSize(witnessSize)
        const { size } = yield* log.signed
        states.set(witness, { ...stateOf(witness), size: Math.max(witnessSize, stateOf(witness).size) })
        for (const head of yield* due(witness, witnessSize, size, now)) {
          if (head.size < witnessSize) continue
          const answer = yield* ask(witness, head, witnessSize)
          if ("holds" in answer) {
            witnessSize = answer.holds
          } else {
            yield* keep(witness, head, answer)
            witnessSize = head.size
          }
        }
      })

      const tell = Effect.fnUntraced(function* (witness: Witness, message: string | undefined, now: number) {
        const before = stateOf(witness).trouble
        if (message === undefined) restUntil.delete(witness)
        else restUntil.set(witness, now + rest)
        if (before?.message === message) return
        const since = before?.since ?? now
        states.set(witness, {
          ...stateOf(witness),
          trouble: message === undefined ? undefined : { message, since }
        })
        const name = noteKeyText(witness.key)
        yield* message === undefined
          ? sql`delete from witness_trouble where witness = ${name}`
          : sql`insert into witness_trouble ${sql.insert({ witness: name, message, since: new Date(since) })}
              on conflict (witness) do update set message = excluded.message, since = excluded.since`
        yield* message === undefined
          ? Effect.logInfo("a witness follows the log again", { witness: witness.name })
          : Effect.logWarning("a witness does not cosign", { witness: witness.name, reason: message })
      })

      const offer = Effect.fn("Cosignatures.offer")(function* (witness: Witness) {
        const now = yield* Clock.currentTimeMillis
        if (now < (restUntil.get(witness) ?? 0)) return
        const message = yield* follow(witness, now).pipe(
          Effect.as(undefined),
          Effect.catchTag("WitnessTrouble", ({ message }) => Effect.succeed(message))
        )
        // It may refuse because it follows a copy of this log that went on elsewhere.
        if (message !== undefined && (yield* heads.ask(witness))) yield* log.lookBack
        yield* tell(witness, message, yield* Clock.currentTimeMillis)
      })

      const hear = Effect.gen(function* () {
        yield* Effect.forEach(witnesses.all, heads.look, { concurrency: "unbounded", discard: true })
        const names = new Map(witnesses.all.map((witness) => [noteKeyText(witness.key), witness]))
        const rows = yield* sql`
          select w.witness, coalesce(c.size, 0) as size, t.message, t.since
          from unnest(${texts([...names.keys()])}) as w(witness)
            left join lateral (select max(size) as size from cosignature where witness = w.witness) c on true
            left join witness_trouble t on t.witness = w.witness`.pipe(stateRows)
        for (const { message, since, size, witness: of } of rows) {
          const witness = names.get(of)
          if (witness === undefined) continue
          const trouble = message === null || since === null ? undefined : { message, since: since.getTime() }
          states.set(witness, { name: witness.name, size: Math.max(size, stateOf(witness).size), trouble })
        }
      }).pipe(Effect.withSpan("Cosignatures.hear"))

      return Cosignatures.of({
        offer,
        hear,
        states: Effect.map(log.signed, ({ size }) => ({
          witnesses: witnesses.all.map(stateOf),
          hasQuorum:
            size === 0 ||
            isMet(witnesses.quorum, (key) =>
              witnesses.all.some((witness) => witness.key === key && stateOf(witness).size === size)
            )
        }))
      })
    })
  ).pipe(Layer.provide(Changes.layer))
}

interface Head {
  readonly size: number
  readonly note: string
}

interface Verified {
  /** Without its newline. */
  readonly line: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** The cosignature of `key` among the lines of an answer. Lines of other keys are passed over. */
const verified = Effect.fnUntraced(function* (key: Cosigner, note: string, lines: string) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.try({
    try: (): Verified => {
      const { text } = parseNote(note)
      for (const line of parseLines(lines.replace(/\n$/, "").split("\n"))) {
        const [cosignature] = cosignaturesOf(text, [line], [key])
        if (cosignature === undefined) continue
        const { timestamp } = cosignature
        if (Math.abs(timestamp * 1000 - now) > clockTolerance) {
          throw new Malformed("the time of its cosignature is more than 5 minutes from this clock")
        }
        return { line: signatureLine(key, line.signature).trimEnd(), timestamp }
      }
      throw new Malformed("its answer has no cosignature of its key")
    },
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      error instanceof Malformed
        ? Effect.fail(new WitnessTrouble({ message: error.message }))
        : Effect.die(error)
    )
  )
})
