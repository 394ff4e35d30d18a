/**
 * The arithmetic of limits: what a caller may use (`Plan`), and what it has used (`Meter`). Calls are counted before they are
 * answered; what an answer cost is known after it, so a bucket of milliseconds or bytes may fall below zero, and the caller
 * then waits until it has refilled.
 */
import { day as dayMs, minute as minuteMs } from "../plugin/time.ts"
import type { Quota } from "../wire/problems/service.ts"

/** What answers may cost per minute. */
export interface CostLimits {
  /** Milliseconds of processor time for making answers. */
  readonly millisPerMinute: number
  /** Bytes of the bodies that are sent, as sent. */
  readonly bytesPerMinute: number
}

/** What an answer cost. */
export interface Cost {
  readonly millis: number
  readonly bytes: number
}

export interface Plan {
  readonly perMinute: number | null
  readonly burst: number
  readonly perDay: number | null
  /** Null: answers may cost anything. */
  readonly cost: CostLimits | null
  /** As the value of `RateLimit-Policy`; empty without a limit. */
  readonly policy: string
}

/** The usage of one caller. */
export interface Meter {
  tokens: number
  /** What is left of the buckets of the cost; below zero after an answer that cost more than was left. */
  millis: number
  bytes: number
  refilledAt: number
  minuteEnds: number
  minuteUsed: number
  day: number
  /** Calls today over all replicas, as SQL last reported. */
  shared: number
  /** Calls not yet written to SQL. */
  pending: number
}

/** A call can count against several meters at once: a free key, its network and the wide one around that. */
export interface Metered {
  readonly subject: string
  readonly plan: Plan
  readonly meter: Meter
}

/** Tolerance for rounding: a refilled token may come out as 0.99…9. */
const whole = (tokens: number): number => Math.floor(tokens + 1e-6)

/** Units other than calls are named, because clients take a quota without one for calls. */
const costPolicy = ({ bytesPerMinute, millisPerMinute }: CostLimits): ReadonlyArray<string> => [
  `"millis";q=${millisPerMinute};w=60;qu="processor-milliseconds"`,
  `"bytes";q=${bytesPerMinute};w=60;qu="content-bytes"`
]

export const planOf = (limits: Omit<Plan, "policy">): Plan => {
  const { cost, perDay, perMinute } = limits
  const burst = Math.min(limits.burst, perMinute ?? limits.burst)
  return {
    perMinute,
    burst,
    perDay,
    cost,
    policy: [
      // How long an empty bucket takes to refill.
      ...(perMinute === null ? [] : [`"burst";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`]),
      ...(perMinute === null ? [] : [`"minute";q=${perMinute};w=60`]),
      ...(perDay === null ? [] : [`"day";q=${perDay};w=86400`]),
      ...(cost === null ? [] : costPolicy(cost))
    ].join(", ")
  }
}

/** A plan with so many times the quotas. */
export const times = (factor: number, { burst, cost, perDay, perMinute }: Plan): Plan =>
  planOf({
    burst: burst * factor,
    perMinute: perMinute === null ? null : perMinute * factor,
    perDay: perDay === null ? null : perDay * factor,
    cost:
      cost === null
        ? null
        : {
            millisPerMinute: cost.millisPerMinute * factor,
            bytesPerMinute: cost.bytesPerMinute * factor
          }
  })

export const fullMeter = ({ burst, cost }: Plan, now: number): Meter => ({
  tokens: burst,
  millis: cost?.millisPerMinute ?? 0,
  bytes: cost?.bytesPerMinute ?? 0,
  refilledAt: now,
  minuteEnds: now + minuteMs,
  minuteUsed: 0,
  day: Math.floor(now / dayMs),
  shared: 0,
  pending: 0
})

/** Brings a meter up to now: refills its buckets, and begins a new minute or day if the last one is over. */
export const refilled = (meter: Meter, { burst, cost, perMinute }: Plan, now: number): Meter => {
  const day = Math.floor(now / dayMs)
  if (meter.day !== day) Object.assign(meter, { day, shared: 0, pending: 0 })
  const elapsed = Math.max(0, now - meter.refilledAt)
  meter.refilledAt = now
  if (perMinute !== null) meter.tokens = Math.min(burst, meter.tokens + (elapsed * perMinute) / minuteMs)
  if (cost !== null) {
    const { bytesPerMinute, millisPerMinute } = cost
    meter.millis = Math.min(millisPerMinute, meter.millis + (elapsed * millisPerMinute) / minuteMs)
    meter.bytes = Math.min(bytesPerMinute, meter.bytes + (elapsed * bytesPerMinute) / minuteMs)
  }
  // The second condition covers a clock that was set back.
  if (now >= meter.minuteEnds || now < meter.minuteEnds - minuteMs) {
    meter.minuteEnds = now + minuteMs
    meter.minuteUsed = 0
  }
  return meter
}

/** Takes what an answer cost out of the buckets. */
export const charge = (metered: ReadonlyArray<Metered>, { bytes, millis }: Cost): void => {
  for (const { meter } of metered) {
    meter.millis -= millis
    meter.bytes -= bytes
  }
}

export const dayEndsIn = (now: number): number => Math.ceil((dayMs - (now % dayMs)) / 1000)

/** Seconds until a bucket that refills in a minute has something in it; 0 if it has now. */
const emptyFor = (left: number, perMinute: number): number =>
  left > 0 ? 0 : Math.max(1, ((1 - left) * 60) / perMinute)

export interface Wait {
  readonly seconds: number
  /** The quota that has to be waited for. */
  readonly quota: Quota
}

/** The longest wait until every meter allows a call; undefined if all of them do now. */
export const waitOf = (metered: ReadonlyArray<Metered>, now: number): Wait | undefined => {
  let wait: Wait | undefined
  const longest = (seconds: number, quota: Quota) => {
    if (seconds > (wait?.seconds ?? 0)) wait = { seconds, quota }
  }
  for (const { meter, plan } of metered) {
    if (plan.perMinute !== null && whole(meter.tokens) < 1) {
      longest(((1 - meter.tokens) * minuteMs) / plan.perMinute / 1000, "burst")
    }
    if (plan.perMinute !== null && meter.minuteUsed >= plan.perMinute) {
      longest((meter.minuteEnds - now) / 1000, "minute")
    }
    if (plan.perDay !== null && meter.shared + meter.pending >= plan.perDay) longest(dayEndsIn(now), "day")
    if (plan.cost !== null) {
      longest(emptyFor(meter.millis, plan.cost.millisPerMinute), "millis")
      longest(emptyFor(meter.bytes, plan.cost.bytesPerMinute), "bytes")
    }
  }
  return wait
}

/** What is left of a quota. */
interface Remainder {
  readonly remaining: number
  /** Seconds until the quota is full again. */
  readonly resetSeconds: number
}

/** Of two claims on the same quota, the one with less left; of equal ones, the first. */
const tightest = (a: Remainder | undefined, b: Remainder): Remainder =>
  a === undefined || b.remaining < a.remaining ? b : a

/** Of a bucket that refills in a minute. */
const ofBucket = (left: number, perMinute: number): Remainder => ({
  remaining: Math.floor(left),
  resetSeconds: Math.ceil(((perMinute - left) * 60) / perMinute)
})

/** A member of `RateLimit`. */
const formatQuota = (name: string, { remaining, resetSeconds }: Remainder): string =>
  `"${name}";r=${Math.max(0, remaining)};t=${resetSeconds}`

/** The value of `RateLimit`: what remains of each quota, by the tightest claim on it. */
export const remainders = (metered: ReadonlyArray<Metered>, now: number): string => {
  const left: Partial<Record<Quota, Remainder>> = {}
  for (const { meter, plan } of metered) {
    if (plan.perMinute !== null) {
      left.burst = tightest(left.burst, {
        remaining: whole(meter.tokens),
        resetSeconds: Math.ceil(((plan.burst - meter.tokens) * minuteMs) / plan.perMinute / 1000)
      })
      left.minute = tightest(left.minute, {
        remaining: plan.perMinute - meter.minuteUsed,
        resetSeconds: Math.ceil((meter.minuteEnds - now) / 1000)
      })
    }
    if (plan.perDay !== null) {
      left.day = tightest(left.day, {
        remaining: plan.perDay - meter.shared - meter.pending,
        resetSeconds: dayEndsIn(now)
      })
    }
    if (plan.cost !== null) {
      left.millis = tightest(left.millis, ofBucket(meter.millis, plan.cost.millisPerMinute))
      left.bytes = tightest(left.bytes, ofBucket(meter.bytes, plan.cost.bytesPerMinute))
    }
  }
  const members: Array<string> = []
  for (const name of quotas) {
    const remainder = left[name]
    if (remainder !== undefined) members.push(formatQuota(name, remainder))
  }
  return members.join(", ")
}

const quotas: ReadonlyArray<Quota> = ["burst", "minute", "day", "millis", "bytes"]
