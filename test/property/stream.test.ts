/**
 * One listener against a client that reads, stalls, loses its connection and comes back, while events are added, forgotten
 * by memory and removed from the database: it gets every event that is wanted and kept once and in order, and is told of
 * each that is not kept.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type EventFilter, FeedEvent, matchesFilter } from "../../core/events/EventFeed.ts"
import { Listener, type Sink, type Source } from "../../http/stream/Listener.ts"

const symbols = ["FIL", "STORJ"] as const

const eventOf = (id: number): FeedEvent =>
  new FeedEvent({
    id,
    kind: id % 5 === 0 ? "revisions" : "values",
    symbol: symbols[id % 2] ?? "FIL",
    category: "storage",
    body: `{"id":${id}}`
  })

/** The feed: a list, of which the end is in memory; reading older ones takes until `answer` is called. */
class Feed implements Source {
  stored: Array<FeedEvent> = []
  #memory = 0
  #waiting: Array<() => void> = []

  newest = () => this.stored.at(-1)?.id ?? 0

  remembered = (after: number) => {
    if (after >= this.newest()) return []
    return after + 1 < this.#memory ? undefined : this.stored.filter(({ id }) => id > after)
  }

  read = (after: number, done: (events: ReadonlyArray<FeedEvent>) => void) => {
    this.#waiting.push(() => done(this.stored.filter(({ id }) => id > after).slice(0, 3)))
  }

  add(count: number) {
    for (let n = 0; n < count; n++) this.stored.push(eventOf(this.newest() + 1))
  }

  forget(left: number) {
    this.#memory = Math.max(this.#memory, this.newest() + 1 - left)
  }

  remove(left: number) {
    this.stored = this.stored.slice(-Math.max(1, left))
    this.#memory = Math.max(this.#memory, this.stored[0]?.id ?? 0)
  }

  answer() {
    const pending = this.#waiting
    this.#waiting = []
    for (const one of pending) one()
  }
}

/** A client with what it got over all its connections. */
class Client {
  last = 0
  readonly received: Array<number> = []
  readonly missing: Array<readonly [from: number, to: number]> = []
  /** Bytes that were written and not read yet. */
  waiting: Array<Uint8Array> = []
  isOpen = true

  readonly sink: Sink = {
    write: (bytes) => {
      this.waiting.push(bytes)
      return this.waiting.length < 3
    },
    end: (bytes) => {
      this.waiting.push(bytes)
      this.isOpen = false
    }
  }

  read() {
    for (const bytes of this.waiting) {
      const text = Buffer.from(bytes).toString()
      const id = /^id: (\d+)$/m.exec(text)?.[1]
      const gap = /^event: gap\ndata: \{"from":(\d+),"to":(\d+)/m.exec(text)
      if (gap !== null) this.missing.push([Number(gap[1]), Number(gap[2])])
      if (id === undefined) continue
      this.last = Number(id)
      if (text.includes("data:")) this.received.push(this.last)
    }
    this.waiting = []
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), n: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    kind: fc.constantFrom("read", "answer", "cut", "beat").map((kind) => kind),
    n: fc.constant(0)
  }),
  fc.record({
    kind: fc.constantFrom("forget", "remove").map((kind) => kind),
    n: fc.integer({ min: 0, max: 8 })
  })
)

const filters: ReadonlyArray<EventFilter> = [
  {},
  { symbols: new Set(["FIL"]) },
  { kinds: new Set(["revisions"] as const) },
  { sample: new Set(["STORJ"]) }
]

const runs = Number(process.env["RUNS"] ?? 300)

describe("a listener", () => {
  it.each(filters.map((filter, n) => [n, filter] as const))(
    "gets each wanted event once and in order, or hears that it is missing (filter %i)",
    (_, filter) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          const feed = new Feed()
          const client = new Client()
          const connect = () =>
            new Listener({
              sink: client.sink,
              source: feed,
              filter: () => filter,
              after: client.last,
              now: () => 0
            })
          let listener = connect()
          const catchUp = () => {
            for (let n = 0; n < 500; n++) {
              client.read()
              listener.drained()
              feed.answer()
            }
          }
          for (const { kind, n } of steps) {
            if (kind === "add") {
              feed.add(n)
              listener.pump()
            } else if (kind === "read") {
              const stalled = client.waiting.length >= 3
              client.read()
              if (stalled) listener.drained()
            } else if (kind === "answer") feed.answer()
            else if (kind === "forget") feed.forget(n)
            else if (kind === "remove") feed.remove(n)
            else if (kind === "beat")
              listener.beat(Buffer.from(`id: ${feed.newest()}\n\n`), Number.POSITIVE_INFINITY)
            else {
              // What was on its way is lost.
              listener.gone()
              client.waiting = []
              listener = connect()
              listener.pump()
            }
            // A slow client never holds more than what its socket took.
            assert.isAtMost(client.waiting.length, 4)
          }
          catchUp()
          assert.deepStrictEqual(
            client.received,
            [...new Set(client.received)].sort((a, b) => a - b)
          )
          const isReported = (id: number) => client.missing.some(([from, to]) => from <= id && id <= to)
          for (let id = 1; id <= feed.newest(); id++) {
            if (!matchesFilter(filter, eventOf(id))) assert.notInclude(client.received, id)
            else
              assert.isTrue(
                client.received.includes(id) || isReported(id),
                `event ${id} was dropped silently`
              )
          }
        }),
        { numRuns: runs, seed: 11 }
      )
    }
  )
})
