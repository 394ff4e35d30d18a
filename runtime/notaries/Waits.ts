/** How long a run may wait for its notary, and which notaries rest. */
import { minute } from "../../core/plugin/time.ts"

/** Milliseconds that one run may wait for a notary in all. */
export const longestWait = 500

/** Milliseconds for which a notary that was down or slow is not asked again. */
export const rest = minute

/** Milliseconds for which a host is not asked for again through a notary that could not carry to it. */
export const hostRest = 10 * minute

/** Hosts of which it is remembered that a notary does not carry to them. */
const mostHosts = 10_000

/** What a process remembers of its notaries, for all runs. */
export class Rests {
  private readonly until = new Map<string, number>()

  private rests(key: string, now: number): boolean {
    return now < (this.until.get(key) ?? Number.NEGATIVE_INFINITY)
  }

  /** Whether the notary may be asked to carry to the host. */
  mayAsk(notary: string, host: string, now: number): boolean {
    return !this.rests(notary, now) && !this.rests(`${notary} ${host}`, now)
  }

  restNotary(notary: string, now: number): void {
    this.until.set(notary, now + rest)
  }

  restHost(notary: string, host: string, now: number): void {
    if (this.until.size > mostHosts) this.until.clear()
    this.until.set(`${notary} ${host}`, now + hostRest)
  }
}

/** The time in which at least one connection of a run waits for its notary. */
export class Waits {
  private readonly longest: number
  private spent = 0
  private since = 0
  private waiting = 0

  /** @param longest Milliseconds that the run may wait in all. */
  constructor(longest: number = longestWait) {
    this.longest = longest
  }

  /** Milliseconds that the run may still wait. */
  left(now: number): number {
    return this.longest - this.spent - (this.waiting > 0 ? now - this.since : 0)
  }

  begin(now: number): void {
    if (this.waiting++ === 0) this.since = now
  }

  end(now: number): void {
    if (--this.waiting === 0) this.spent += now - this.since
  }
}
