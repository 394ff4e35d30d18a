/** Two processes that each own a feed: what they say of both has one text at each time that it is dated. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { Availability } from "../../core/process/Availability.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Follower } from "../../core/readings/Follower.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Versions } from "../../core/readings/read/Versions.ts"
import { Claims } from "../../runtime/cluster/Claims.ts"
import { FeedStates } from "../../runtime/cluster/FeedStates.ts"
import * as RunState from "../../runtime/collector/RunState.ts"
import { defaultBackoff } from "../../runtime/collector/runLimits.ts"
import { stateOf } from "../../runtime/collector/Supervisor.ts"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { listening } from "../../runtime/service/following.ts"
import { cloneUrl } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
/** How often each of them writes the state of its feed. */
const writes = 60

/** A process of its own on a database. */
const memberOn = (url: string) =>
  Layer.mergeAll(FeedStates.layer, Follower.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Claims.layer, Current.layer, Changes.layer, Availability.layer)),
    Layer.provideMerge(Layer.mergeAll(Runs.feeds, Blobs.layerTable, Versions.layer)),
    Layer.provideMerge(Layer.effectDiscard(partitions.ensure(noon))),
    Layer.provideMerge(Layer.orDie(Postgres.layer(Redacted.make(url)))),
    Layer.fresh,
    Layer.build
  )
type Member = Effect.Success<ReturnType<typeof memberOn>>

const turn = Effect.promise(() => new Promise<void>((resume) => setImmediate(resume)))

/** Takes the feed, and writes its state again and again, in step with whoever listens. */
const collects = Effect.fnUntraced(function* (member: Member, plugin: string, listener: Member) {
  yield* Context.get(member, Claims).claim([plugin])
  const { flush, note } = Context.get(member, FeedStates)
  let fares = RunState.fresh(plugin, 900_000, noon, defaultBackoff)
  for (let n = 1; n <= writes; n++) {
    fares = RunState.started(fares, noon + n)
    note(stateOf(plugin, "running", fares, undefined), fares)
    yield* flush
    yield* Context.get(listener, Versions).settled(["feeds"])
  }
})

/** What a process says of the feeds, and the time that it gives to that. */
const statementOf = Effect.fnUntraced(function* (member: Member) {
  const versions = Context.get(member, Versions)
  // As an answer does that depends on it.
  yield* versions.settled(["feeds"])
  const at = yield* versions.changedAt(["feeds"])
  const states = yield* Context.get(member, FeedStates).states
  return { at, text: JSON.stringify([...states].sort()) }
})

it.live("what two processes say of the feeds has one text at each time", () =>
  Effect.gen(function* () {
    const url = yield* cloneUrl
    const members = [yield* memberOn(url), yield* memberOn(url)] as const
    for (const member of members) {
      const begun = Promise.withResolvers<void>()
      yield* Effect.forkScoped(Effect.provide(listening(Effect.sync(begun.resolve)), member))
      yield* Effect.promise(() => begun.promise)
    }
    const textAt = new Map<number, string>()
    const compare = Effect.gen(function* () {
      yield* turn
      for (const { at, text } of yield* Effect.forEach(members, statementOf)) {
        assert.strictEqual(text, textAt.get(at) ?? text, `at ${at}`)
        textAt.set(at, text)
      }
    })
    const isOver = Effect.map(Effect.forEach(members, statementOf), (all) =>
      all.every(({ text }) => text.split(`"runs":${writes}`).length === 3)
    )
    const collecting = Effect.gen(function* () {
      const [one, other] = members
      yield* Effect.all([collects(one, "feed-0", other), collects(other, "feed-1", one)], { concurrency: 2 })
      while (!(yield* isOver)) yield* turn
    })
    yield* Effect.raceFirst(Effect.repeat(compare, Schedule.forever), collecting)
    assert.isAbove(textAt.size, writes)
  }).pipe(Effect.scoped)
)
