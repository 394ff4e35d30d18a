/** What a notary keeps of a session that it carries: the bytes of both directions as they came, still encrypted. */

/** The place of something among all arrivals of a session, and its time in epoch milliseconds. */
export interface Arrival {
  /** Counts the arrivals of both directions together. */
  readonly n: number
  readonly at: number
}

/** What one read of a socket brought. */
export interface Chunk extends Arrival {
  readonly bytes: Uint8Array
}

export interface Tape {
  /** The name that the collector asked for, which is the one in its ClientHello. */
  readonly host: string
  /** The address that the notary resolved the name to and connected to. */
  readonly address: string
  /** Epoch milliseconds. */
  readonly opened: number
  readonly closed: number
  readonly toHost: ReadonlyArray<Chunk>
  readonly fromHost: ReadonlyArray<Chunk>
}
