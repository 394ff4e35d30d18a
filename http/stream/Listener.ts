/**
 * One open stream. It takes events from the feed as fast as its client reads them: nothing waits in memory for a slow client
 * but what its socket holds already, and the bytes of an event are those of all other listeners.
 */
import { type EventFilter, type FeedEvent, matchesFilter } from "../../core/events/EventFeed.ts"
import type { Reason } from "./frames.ts"
import * as frames from "./frames.ts"

/** The connection of a client. */
export interface Sink {
  /** False: wait for `drained` before more is written. */
  readonly write: (bytes: Uint8Array) => boolean
  /** Writes the last bytes and closes. */
  readonly end: (bytes: Uint8Array) => void
}

/** Where a listener gets events. */
export interface Source {
  readonly newest: () => number
  readonly remembered: (after: number) => ReadonlyArray<FeedEvent> | undefined
  /** Reads older events in the background, then calls one of the two. */
  readonly read: (after: number, done: (events: ReadonlyArray<FeedEvent>) => void, failed: () => void) => void
}

/** A client that reads nothing for this long is cut off, in milliseconds. */
export const slowClientTimeout = 30_000

export class Listener {
  readonly #sink: Sink
  readonly #source: Source
  readonly #filter: () => EventFilter
  readonly #openedAt: number
  /** Everything up to this id was sent or is not wanted. */
  #cursor: number
  /** Since when it waits for its client, epoch milliseconds. */
  #waitsSince: number | undefined
  #reading = false
  #isOpen = true
  readonly #now: () => number

  constructor(options: {
    readonly sink: Sink
    readonly source: Source
    /** Asked again for each event, since a sample changes with the day. */
    readonly filter: () => EventFilter
    readonly after: number
    readonly now: () => number
  }) {
    this.#sink = options.sink
    this.#source = options.source
    this.#filter = options.filter
    this.#cursor = options.after
    this.#now = options.now
    this.#openedAt = options.now()
  }

  /** Sends what there is, until the client has enough. */
  pump(): void {
    if (!this.#isOpen || this.#reading || this.#waitsSince !== undefined) return
    const events = this.#source.remembered(this.#cursor)
    if (events !== undefined) {
      this.#send(events)
      return
    }
    this.#reading = true
    this.#source.read(
      this.#cursor,
      (older) => {
        this.#reading = false
        // The feed ends before what it had: its database was replaced.
        if (older.length === 0) this.end("failed", 10_000)
        this.#send(older)
        this.pump()
      },
      () => this.end("failed", 10_000)
    )
  }

  #send(events: ReadonlyArray<FeedEvent>): void {
    const filter = this.#filter()
    for (const event of events) {
      if (!this.#isOpen) return
      // Ids have no gaps, so what is missing is no longer retained.
      if (event.id > this.#cursor + 1) this.say(frames.gap({ from: this.#cursor + 1, to: event.id - 1 }))
      this.#cursor = event.id
      if (!matchesFilter(filter, event)) continue
      if (!this.#sink.write(event.frame)) {
        this.#waitsSince = this.#now()
        return
      }
    }
  }

  /** The client has read what was written. */
  drained(): void {
    this.#waitsSince = undefined
    this.pump()
  }

  /** Writes something about the stream itself. */
  say(bytes: Uint8Array): void {
    if (this.#isOpen && !this.#sink.write(bytes)) this.#waitsSince ??= this.#now()
  }

  /** Keeps the connection alive; ends it if the client does not read, or if it is older than `longest` milliseconds. */
  beat(shared: Uint8Array, longest: number): void {
    const now = this.#now()
    if (this.#waitsSince !== undefined) {
      if (now - this.#waitsSince >= slowClientTimeout) this.end("slow", 1000)
      return
    }
    if (now - this.#openedAt >= longest) this.end("age", 0)
    else this.say(this.#cursor === this.#source.newest() ? shared : frames.bareHeartbeat)
  }

  /** Says why and closes. `wait` is how long the client should wait before it connects again, in milliseconds. */
  end(reason: Reason, wait: number): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#sink.end(frames.closed(reason, this.#cursor, wait))
  }

  /** The client is gone. */
  gone(): void {
    this.#isOpen = false
  }
}
