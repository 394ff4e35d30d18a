/** The sessions of a notary that are open or wait for their secrets, within its limits. */
import { randomBytes } from "node:crypto"
import { Deferred } from "effect"
import type { NotaryLimits } from "./limits.ts"
import { Recording, type TapeMemory } from "./Recording.ts"
import type { SessionNumber } from "./Register.ts"
import type { Tape } from "./tape.ts"

export interface Session {
  /** By which the collector names it: 128 random bits. */
  readonly id: string
  readonly number: SessionNumber
  readonly recording: Recording
  /** The tape, once the session is closed. */
  readonly closed: Deferred.Deferred<Tape>
  /** Done once its secrets were shown: its place is free then. */
  readonly disclosed: Deferred.Deferred<void>
}

export class Sessions {
  readonly memory: TapeMemory = { bytes: 0 }
  private readonly limits: NotaryLimits
  private readonly byId = new Map<string, Session>()
  private readonly places = new Map<string, number>()
  private count = 0

  constructor(limits: NotaryLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.count
  }

  /** Takes a place for a session of a collector; false where there is none. */
  enter(collector: string): boolean {
    const places = this.places.get(collector) ?? 0
    if (this.count >= this.limits.sessions || places >= this.limits.ofCollector) return false
    this.count++
    this.places.set(collector, places + 1)
    return true
  }

  leave(collector: string): void {
    this.count--
    const places = (this.places.get(collector) ?? 1) - 1
    if (places === 0) this.places.delete(collector)
    else this.places.set(collector, places)
  }

  open(number: SessionNumber): Session {
    const session: Session = {
      id: randomBytes(16).toString("hex"),
      number,
      recording: new Recording(this.memory, this.limits),
      closed: Deferred.makeUnsafe<Tape>(),
      disclosed: Deferred.makeUnsafe<void>()
    }
    this.byId.set(session.id, session)
    return session
  }

  get(id: string): Session | undefined {
    return this.byId.get(id)
  }

  /** Takes a session out, once: secrets are shown once, and guesses are not free. */
  take(id: string): Session | undefined {
    const session = this.byId.get(id)
    this.byId.delete(id)
    return session
  }
}
