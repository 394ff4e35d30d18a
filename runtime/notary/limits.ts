/** Limits on what sessions may cost a notary. Tests may change single values. */
import type { Duration } from "effect"

export interface NotaryLimits {
  /** Sessions that are open or wait for their secrets. */
  readonly sessions: number
  /** The same, of one collector. */
  readonly ofCollector: number
  /** Bytes of one session's tape: what is larger is carried on and not stated. */
  readonly tape: number
  /** Bytes of it that go to the host: a collector asks, and does not send. */
  readonly toHost: number
  /** Bytes of all tapes. */
  readonly tapes: number
  /** To resolve a name and connect to its address. */
  readonly connect: Duration.Input
  /** Of one session, from the connection to the host on. */
  readonly life: Duration.Input
  /** How long the end of a session is waited for when its secrets come before it. */
  readonly ending: Duration.Input
  /** How long a closed session waits for its secrets. */
  readonly hold: Duration.Input
}

export const defaults: NotaryLimits = {
  sessions: 500,
  ofCollector: 250,
  tape: 40 * 1024 * 1024,
  toHost: 1024 * 1024,
  tapes: 512 * 1024 * 1024,
  connect: "5 seconds",
  life: "3 minutes",
  ending: "5 seconds",
  hold: "1 minute"
}
