/**
 * Rate limits: a token bucket for bursts, a one-minute window, and buckets of what answers cost, all in memory and per process,
 * and a shared daily quota of calls. Every second the daily count is added to SQL, which returns the total of all replicas. So it survives restarts,
 * and a caller can exceed it by at most one burst per replica. Rejected calls do not count.
 *
 * Each check takes constant time. At most `mostMeters` callers are kept; the least recently seen is dropped first, along
 * with its calls that were not written yet.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LRUCache } from "lru-cache"
import { day as dayMs } from "../plugin/time.ts"
import { compare } from "../plugin/Value.ts"
import { inBackground } from "../process/loop.ts"
import { countedFor, wideQuotaFactor } from "../process/network.ts"
import type { Due as Removable } from "../readings/removing.ts"
import { rowsOf } from "../sql/rows.ts"
import type { AccountTier } from "../wire/credits/tiers.ts"
import type { Quota } from "../wire/problems/service.ts"
import {
  type Cost,
  charge,
  fullMeter,
  type Meter,
  type Metered,
  type Plan,
  planOf,
  refilled,
  remainders,
  times,
  waitOf
} from "./meter.ts"
import { Secret } from "./Secret.ts"
import { tiers } from "./tiers.ts"

const totalRows = rowsOf({ subject: Schema.String, calls: Schema.BigInt })

/** Limits without a subscription, with or without a key (`KEYLESS_PER_MINUTE`, `KEYLESS_PER_DAY`); null means none. */
export const LimitSettings = Context.Reference<{
  readonly perMinute: number | null
  readonly perDay: number | null
}>("core/credits/LimitSettings", {
  defaultValue: () => ({ perMinute: tiers.free.perMinute, perDay: tiers.free.perDay })
})

/**
 * Counted separately from reads, so that reading too much never prevents paying. A purchase delivers whole data sets, so
 * accounts may be sent more bytes than readers.
 */
export const apart = {
  /** Prices, registration, orders, top-ups, balance, purchases, offers. */
  account: { perMinute: 120, burst: 60, cost: { millisPerMinute: 10_000, bytesPerMinute: 1_000_000_000 } },
  /** Requests that carry a payment. It pays for what they cost. */
  payment: { perMinute: 120, burst: 60, cost: null },
  /** Look-ups of unknown keys, each of which is part of a call that has its own cost. */
  key: { perMinute: 60, burst: 60, cost: null },
  /** Files of the log: a monitor that starts with a log of years reads thousands of them, mostly ready and small. */
  log: { perMinute: 1200, burst: 600, cost: { millisPerMinute: 6000, bytesPerMinute: 250_000_000 } },
  /** Pages and their files: a person opens a page with a handful of files at once. */
  pages: { perMinute: 600, burst: 200, cost: tiers.free.cost }
} as const

export interface Verdict {
  readonly allowed: boolean
  /** Whole seconds until the next call is allowed; absent if this one is. */
  readonly retryAfter?: number
  /** `RateLimit-Policy` and `RateLimit` as name, value, name, value; empty without a limit. */
  readonly headers: ReadonlyArray<string>
  /** The quota that is used up; absent if the call is allowed. */
  readonly quota?: Quota
  /** Takes what the answer cost out of the caller's buckets; absent if it has none. Synchronous. */
  readonly charge?: (cost: Cost) => void
}

/** A limit of a call, before the usage of its caller is looked up. */
type Claim = Omit<Metered, "meter">

const mostMeters = 100_000

/** A cache with `max` takes the room of all its entries at once, 2.7 MiB each; one that counts sizes grows with its callers. */
const room = { maxSize: mostMeters, sizeCalculation: () => 1 }
const rowsAtOnce = 500

/** The plans of every kind of call, and those of the wide networks around the others. */
const plansOf = (settings: typeof LimitSettings.Service) => {
  // Who turns off the limits of the minute turns off all of them.
  const isOff = settings.perMinute === null
  const { burst, cost } = tiers.free
  const free = planOf({ ...settings, burst, cost: isOff ? null : cost })
  const byMinute = planOf({ ...settings, perDay: null, burst, cost: isOff ? null : cost })
  const own = (limits: (typeof apart)[keyof typeof apart]): Plan =>
    planOf(
      isOff ? { perMinute: null, burst: limits.burst, perDay: null, cost: null } : { ...limits, perDay: null }
    )
  const account = own(apart.account)
  const payment = own(apart.payment)
  const key = own(apart.key)
  const log = own(apart.log)
  const pages = own(apart.pages)
  const ofTier = new Map(
    (Object.keys(tiers) as Array<AccountTier>).map((tier) => [
      tier,
      tier === "free"
        ? { reads: free, account }
        : { reads: planOf(tiers[tier]), account: planOf({ ...tiers[tier], perDay: null }) }
    ])
  )
  const wide = new Map(
    [free, byMinute, account, payment, key, log, pages].map((plan) => [plan, times(wideQuotaFactor, plan)])
  )
  return { free, byMinute, account, payment, key, log, pages, ofTier, wide }
}

/** The names that a network, and the wide one around it if there is one, are counted by. */
type Subjects = ReadonlyArray<readonly [name: string, factor: number]>

const claimsOf = (
  subjects: Subjects,
  plan: Plan,
  wide: ReadonlyMap<Plan, Plan>,
  kind: string
): ReadonlyArray<Claim> =>
  subjects.map(([name, factor]) => ({
    subject: kind + name,
    plan: factor === 1 ? plan : (wide.get(plan) ?? plan)
  }))

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** The calls of one subject on one day that SQL does not have yet. */
type Due = readonly [subject: string, meter: Meter, day: number, calls: number]

/** The first due rows, in the same order on all replicas to prevent deadlocks. Meters without calls are due no more. */
const nextPage = (due: Map<string, Meter>): ReadonlyArray<Due> => {
  const page: Array<Due> = []
  for (const [subject, meter] of due) {
    if (page.length === rowsAtOnce) break
    if (meter.pending > 0) page.push([subject, meter, meter.day, meter.pending])
    else due.delete(subject)
  }
  return page.sort(([a], [b]) => (a < b ? -1 : 1))
}

const unlimited: Verdict = { allowed: true, headers: [] }

/** Removes counts of days that no limit looks at any more. */
export const removeOldUsage = Effect.fnUntraced(function* (due: Removable) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from usage where day < ${dateOf(Math.floor(due.wall / dayMs) - 2)}::date`
})

export class Limits extends Context.Service<
  Limits,
  {
    /** Counts a read without a known key against its network. Synchronous. */
    readonly keyless: (network: string) => Verdict
    /** Counts a read against an account, and without a subscription also against its network. Synchronous. */
    readonly keyed: (account: string, tier: AccountTier, network: string) => Verdict
    /** Counts a call to the encoder API per minute, for any key; `EncoderKeys` has the daily quota. Synchronous. */
    readonly encoder: (network: string) => Verdict
    /** Counts an account or payment call against an account with a subscription, or against a network. Synchronous. */
    readonly account: (
      network: string,
      subscriber?: { readonly id: string; readonly tier: AccountTier }
    ) => Verdict
    /** Counts a request that carries a payment. Synchronous. */
    readonly payment: (network: string) => Verdict
    /** Counts a read of a file of the log, with or without a key. Synchronous. */
    readonly log: (network: string) => Verdict
    /** Counts a page of the explorer, or a file of one. Synchronous. */
    readonly pages: (network: string) => Verdict
    /** Counts a key look-up; `undoLookUp` undoes that. Synchronous. */
    readonly lookUp: (network: string) => Verdict
    readonly undoLookUp: (network: string) => void
    /** Writes pending counts to SQL and reads the shared ones; `layer` runs it every second. */
    readonly flush: Effect.Effect<void, SqlError>
  }
>()("core/credits/Limits") {
  /** Counts, and writes only when `flush` runs. */
  static readonly layerUnwritten = Layer.effect(
    Limits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* Secret
      const clock = yield* Clock.Clock
      const settings = yield* LimitSettings

      const plans = plansOf(settings)
      const due = new Map<string, Meter>()
      const meters = new LRUCache<string, Meter>({
        ...room,
        dispose: (_, subject) => due.delete(subject)
      })

      /**
       * SQL stores networks as keyed hashes. Memory uses their text, because hashing would cost more than the call itself.
       */
      const subjects = new LRUCache<string, Subjects>(room)
      const hashed = (network: string) => `net:${Hex.encode(secret.hmac("limits", network))}`
      const subjectsOf = (network: string) => {
        const cached = subjects.get(network)
        if (cached !== undefined) return cached
        const names = countedFor(network).map(([name, factor]) => [hashed(name), factor] as const)
        subjects.set(network, names)
        return names
      }

      const claims = (network: string, plan: Plan, kind = "") =>
        claimsOf(subjectsOf(network), plan, plans.wide, kind)

      const meterOf = (subject: string, plan: Plan, now: number): Meter => {
        const cached = meters.get(subject)
        if (cached !== undefined) return refilled(cached, plan, now)
        const meter = fullMeter(plan, now)
        meters.set(subject, meter)
        return meter
      }

      const take = (of: ReadonlyArray<Claim>): Verdict => {
        const policy = of[0]?.plan.policy ?? ""
        if (policy === "") return unlimited
        const now = clock.currentTimeMillisUnsafe()
        const metered = of.map(({ plan, subject }) => ({ plan, subject, meter: meterOf(subject, plan, now) }))
        const wait = waitOf(metered, now)
        if (wait === undefined) {
          for (const { meter, plan, subject } of metered) {
            meter.tokens -= 1
            meter.minuteUsed += 1
            if (plan.perDay !== null) {
              meter.pending += 1
              due.set(subject, meter)
            }
          }
        }
        const headers = ["RateLimit-Policy", policy, "RateLimit", remainders(metered, now)]
        return wait === undefined
          ? { allowed: true, headers, charge: (cost) => charge(metered, cost) }
          : { allowed: false, retryAfter: Math.max(1, Math.ceil(wait.seconds)), quota: wait.quota, headers }
      }

      const flushPage = Effect.fnUntraced(function* (page: ReadonlyArray<Due>) {
        // In one order, so that two processes never wait for each other.
        const rows = page
          .map(([subject, , day, calls]) => ({ day: dateOf(day), subject, calls: BigInt(calls) }))
          .sort((a, b) => compare(a.day, b.day) || compare(a.subject, b.subject))
        if (!Arr.isArrayNonEmpty(rows)) return
        const totals = yield* sql`
          insert into usage ${sql.insert(rows)}
          on conflict (day, subject) do update set calls = usage.calls + excluded.calls
          returning subject, calls`.pipe(totalRows)
        const bySubject = new Map(totals.map(({ calls, subject }) => [subject, Number(calls)]))
        for (const [subject, meter, day, calls] of page) {
          if (meter.day === day) {
            meter.shared = bySubject.get(subject) ?? meter.shared
            meter.pending -= calls
          }
          // A meter counted in the meantime waits for the next flush; a dropped one is not due at all.
          if (due.delete(subject) && meter.pending > 0) due.set(subject, meter)
        }
      })

      const flush = Effect.gen(function* () {
        for (let left = due.size; left > 0; left -= rowsAtOnce) yield* flushPage(nextPage(due))
        // One at a time, or two flushes would add the same calls twice.
      }).pipe(Semaphore.makeUnsafe(1).withPermit, Effect.withSpan("Limits.flush"))

      yield* Effect.addFinalizer(() => Effect.ignore(flush))

      const keys = (network: string) => claims(network, plans.key, "key:")

      return Limits.of({
        keyless: (network) => take(claims(network, plans.free)),
        keyed: (account, tier, network) => {
          const claim = { subject: account, plan: plans.ofTier.get(tier)?.reads ?? plans.free }
          return take(tier === "free" ? [claim, ...claims(network, plans.free)] : [claim])
        },
        encoder: (network) => take(claims(network, plans.byMinute, "calls:")),
        account: (network, subscriber) =>
          take(
            subscriber === undefined || subscriber.tier === "free"
              ? claims(network, plans.account, "account:")
              : [
                  {
                    subject: `account:${subscriber.id}`,
                    plan: plans.ofTier.get(subscriber.tier)?.account ?? plans.account
                  }
                ]
          ),
        payment: (network) => take(claims(network, plans.payment, "payment:")),
        log: (network) => take(claims(network, plans.log, "log:")),
        pages: (network) => take(claims(network, plans.pages, "pages:")),
        lookUp: (network) => take(keys(network)),
        undoLookUp: (network) => {
          for (const { plan, subject } of keys(network)) {
            const meter = meters.get(subject)
            if (meter === undefined) continue
            meter.tokens = Math.min(plan.burst, meter.tokens + 1)
            meter.minuteUsed = Math.max(0, meter.minuteUsed - 1)
          }
        },
        flush
      })
    })
  )

  /** Writes the counts every second. */
  static readonly layerWriting = Layer.effectDiscard(
    Effect.flatMap(Limits, ({ flush }) => inBackground("writing usage", "1 second", flush))
  )

  /** Counts, and writes every second. */
  static readonly layer = Limits.layerWriting.pipe(Layer.provideMerge(Limits.layerUnwritten))
}
