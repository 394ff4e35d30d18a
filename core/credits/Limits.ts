/**
 * How many calls a caller may make: a token bucket for bursts and a window of a minute, in memory and per process, and a
 * daily quota, shared. The daily count is kept in memory and added to SQL each second, which answers with the count of
 * all replicas: so it survives a restart, and it is overshot by at most what one caller gets through in that second on
 * each replica (its burst). Refused calls count for nothing.
 *
 * What is asked for each call takes the same time whatever was asked before: at most `mostMeters` callers are kept, and
 * the least recently seen goes first, with what of its calls could not be written.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LRUCache } from "lru-cache"
import { inBackground } from "../data/loop.ts"
import { rowsOf } from "../data/rows.ts"
import type { Tier } from "../wire/credits/tiers.ts"
import { Secret } from "./Secret.ts"
import { siteFactor, siteOf } from "./sites.ts"
import { tiers } from "./tiers.ts"

const totalRows = rowsOf({ subject: Schema.String, calls: Schema.BigInt })

/** Limits without a subscription, with a key or without (`KEYLESS_PER_MINUTE`, `KEYLESS_PER_DAY`); null is none. */
export const LimitSettings = Context.Reference<{
  readonly perMinute: number | null
  readonly perDay: number | null
}>("core/credits/LimitSettings", {
  defaultValue: () => ({ perMinute: tiers.free.perMinute, perDay: tiers.free.perDay })
})

/** What is counted apart from reads, each by itself, so that no number of reads keeps anyone from paying. */
export const apart = {
  /** Prices, registering, orders, top-ups, balance, purchases, offers. */
  account: { perMinute: 120, burst: 60 },
  /** Requests that carry a payment. */
  payment: { perMinute: 120, burst: 60 },
  /** Keys that are looked up and are not known. */
  key: { perMinute: 60, burst: 60 }
} as const

export interface Verdict {
  readonly allowed: boolean
  /** Whole seconds until the next call is allowed; absent where this one is. */
  readonly retryAfter?: number
  /** `RateLimit-Policy` and `RateLimit` as name, value, name, value; empty where nothing is limited. */
  readonly headers: ReadonlyArray<string>
}

interface Plan {
  readonly perMinute: number | null
  readonly burst: number
  readonly perDay: number | null
  readonly policy: string
}

/** What one caller has left. */
interface Meter {
  tokens: number
  refilledAt: number
  minuteEnds: number
  minuteUsed: number
  day: number
  /** Calls of the day as SQL last told, of all replicas. */
  shared: number
  /** Calls that SQL does not know yet. */
  pending: number
}

/** A call counts for one caller, or for several at once: a free key, its network, the site around that. */
interface Claim {
  readonly subject: string
  readonly plan: Plan
}

const dayMs = 24 * 60 * 60 * 1000
const minuteMs = 60_000
const mostMeters = 100_000
const rowsAtOnce = 500

/** A refilled token may come out as 0.99…9. */
const whole = (tokens: number): number => Math.floor(tokens + 1e-6)

const planOf = (limits: Omit<Plan, "policy">): Plan => {
  const { perDay, perMinute } = limits
  const burst = Math.min(limits.burst, perMinute ?? limits.burst)
  return {
    perMinute,
    burst,
    perDay,
    policy: [
      // What an empty bucket takes to be full again.
      ...(perMinute === null ? [] : [`"burst";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`]),
      ...(perMinute === null ? [] : [`"minute";q=${perMinute};w=60`]),
      ...(perDay === null ? [] : [`"day";q=${perDay};w=86400`])
    ].join(", ")
  }
}

/** The plan of the site around a network. */
const widened = ({ burst, perDay, perMinute }: Plan): Plan =>
  planOf({
    burst: burst * siteFactor,
    perMinute: perMinute === null ? null : perMinute * siteFactor,
    perDay: perDay === null ? null : perDay * siteFactor
  })

/** The least that any of the claims leaves of a quota, and the seconds until that one is whole again. */
interface Left {
  r: number
  t: number
}

const least = (so: Left | undefined, r: number, t: number): Left =>
  so === undefined || r < so.r ? { r, t } : so

const told = (name: string, left: Left | undefined): ReadonlyArray<string> =>
  left === undefined ? [] : [`"${name}";r=${Math.max(0, left.r)};t=${left.t}`]

const unlimited: Verdict = { allowed: true, headers: [] }

export class Limits extends Context.Service<
  Limits,
  {
    /** Counts a read without a known key, for its originating network. Never waits. */
    readonly keyless: (network: string) => Verdict
    /** Counts a read of an account; of one without a subscription for its network, too. Never waits. */
    readonly keyed: (account: string, tier: Tier, network: string) => Verdict
    /** Counts a call to the encoder API by the minute, whatever its key: the quota of a day is `EncoderKeys`'. Never waits. */
    readonly encoder: (network: string) => Verdict
    /** Counts a call about accounts and their money, for an account with a subscription or for a network. Never waits. */
    readonly account: (network: string, subscriber?: { readonly id: string; readonly tier: Tier }) => Verdict
    /** Counts a request that carries a payment. Never waits. */
    readonly payment: (network: string) => Verdict
    /** Counts a key that is about to be looked up; `found` takes that back. Never waits. */
    readonly lookUp: (network: string) => Verdict
    readonly found: (network: string) => void
    /** Adds what is pending to SQL and learns the shared counts; `layer` runs it each second. */
    readonly flush: Effect.Effect<void, SqlError>
  }
>()("core/credits/Limits") {
  /** Counts, and writes only when `flush` is run. */
  static readonly layerUnwritten = Layer.effect(
    Limits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* Secret
      const clock = yield* Clock.Clock
      const settings = yield* LimitSettings

      const free = planOf({ ...settings, burst: tiers.free.burst })
      const byMinute = planOf({ ...settings, perDay: null, burst: tiers.free.burst })
      const own = (limits: { readonly perMinute: number; readonly burst: number }): Plan =>
        planOf({ ...limits, perMinute: settings.perMinute === null ? null : limits.perMinute, perDay: null })
      const plans = {
        account: own(apart.account),
        payment: own(apart.payment),
        key: own(apart.key)
      }
      const ofTier = new Map(
        (Object.keys(tiers) as Array<Tier>).map((tier) => [
          tier,
          tier === "free"
            ? { reads: free, account: plans.account }
            : { reads: planOf(tiers[tier]), account: planOf({ ...tiers[tier], perDay: null }) }
        ])
      )
      const sites = new Map([free, byMinute, ...Object.values(plans)].map((plan) => [plan, widened(plan)]))

      const due = new Map<string, Meter>()
      const meters = new LRUCache<string, Meter>({
        max: mostMeters,
        dispose: (_, subject) => due.delete(subject)
      })

      /**
       * Networks are kept as keyed hashes, in memory by their text: a hash for each call would cost more than the call.
       * The second is of the site around the network.
       */
      const subjects = new LRUCache<string, readonly [network: string, site?: string]>({ max: mostMeters })
      const hashed = (network: string) => `net:${Hex.encode(secret.hmac("limits", network))}`
      const subjectsOf = (network: string) => {
        const known = subjects.get(network)
        if (known !== undefined) return known
        const site = siteOf(network)
        const made =
          site === undefined ? ([hashed(network)] as const) : ([hashed(network), hashed(site)] as const)
        subjects.set(network, made)
        return made
      }

      const claims = (network: string, plan: Plan, kind = ""): ReadonlyArray<Claim> => {
        const [near, site] = subjectsOf(network)
        const claim = { subject: kind + near, plan }
        return site === undefined ? [claim] : [claim, { subject: kind + site, plan: sites.get(plan) ?? plan }]
      }

      const meterOf = (subject: string, { burst, perMinute }: Plan, now: number): Meter => {
        const day = Math.floor(now / dayMs)
        const meter = meters.get(subject)
        if (meter === undefined) {
          const made: Meter = {
            tokens: burst,
            refilledAt: now,
            minuteEnds: now + minuteMs,
            minuteUsed: 0,
            day,
            shared: 0,
            pending: 0
          }
          meters.set(subject, made)
          return made
        }
        if (meter.day !== day) Object.assign(meter, { day, shared: 0, pending: 0 })
        if (perMinute !== null) {
          const refilled = (Math.max(0, now - meter.refilledAt) * perMinute) / minuteMs
          meter.tokens = Math.min(burst, meter.tokens + refilled)
          meter.refilledAt = now
        }
        // The second holds when the clock was put back.
        if (now >= meter.minuteEnds || now < meter.minuteEnds - minuteMs) {
          meter.minuteEnds = now + minuteMs
          meter.minuteUsed = 0
        }
        return meter
      }

      const take = (of: ReadonlyArray<Claim>): Verdict => {
        const policy = of[0]?.plan.policy ?? ""
        if (policy === "") return unlimited
        const now = clock.currentTimeMillisUnsafe()
        const dayEnds = Math.ceil((dayMs - (now % dayMs)) / 1000)
        const metered = of.map(({ plan, subject }) => ({ plan, subject, meter: meterOf(subject, plan, now) }))
        let wait = 0
        for (const { meter, plan } of metered) {
          if (plan.perMinute !== null && whole(meter.tokens) < 1) {
            wait = Math.max(wait, ((1 - meter.tokens) * minuteMs) / plan.perMinute / 1000)
          }
          if (plan.perMinute !== null && meter.minuteUsed >= plan.perMinute) {
            wait = Math.max(wait, (meter.minuteEnds - now) / 1000)
          }
          if (plan.perDay !== null && meter.shared + meter.pending >= plan.perDay) {
            wait = Math.max(wait, dayEnds)
          }
        }
        const allowed = wait === 0
        let burst: Left | undefined
        let minute: Left | undefined
        let day: Left | undefined
        for (const { meter, plan, subject } of metered) {
          if (allowed) {
            meter.tokens -= 1
            meter.minuteUsed += 1
            if (plan.perDay !== null) {
              meter.pending += 1
              due.set(subject, meter)
            }
          }
          if (plan.perMinute !== null) {
            const full = Math.ceil(((plan.burst - meter.tokens) * minuteMs) / plan.perMinute / 1000)
            burst = least(burst, whole(meter.tokens), full)
            minute = least(
              minute,
              plan.perMinute - meter.minuteUsed,
              Math.ceil((meter.minuteEnds - now) / 1000)
            )
          }
          if (plan.perDay !== null) day = least(day, plan.perDay - meter.shared - meter.pending, dayEnds)
        }
        const left = [...told("burst", burst), ...told("minute", minute), ...told("day", day)].join(", ")
        const headers = ["RateLimit-Policy", policy, "RateLimit", left]
        return allowed ? { allowed, headers } : { allowed, retryAfter: Math.max(1, Math.ceil(wait)), headers }
      }

      const flushPage = Effect.fnUntraced(function* (
        page: ReadonlyArray<readonly [subject: string, meter: Meter, day: number, calls: number]>
      ) {
        const rows = page.map(([subject, , day, calls]) => ({
          day: new Date(day * dayMs).toISOString().slice(0, 10),
          subject,
          calls: BigInt(calls)
        }))
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
          // One that was counted meanwhile waits for the next writing; one that was dropped is not due at all.
          if (due.delete(subject) && meter.pending > 0) due.set(subject, meter)
        }
      })

      /** The first rows that are due, in one order for all replicas, so that none waits for another in a circle. */
      const nextPage = () => {
        const page: Array<readonly [string, Meter, number, number]> = []
        for (const [subject, meter] of due) {
          if (page.length === rowsAtOnce) break
          if (meter.pending > 0) page.push([subject, meter, meter.day, meter.pending])
          else due.delete(subject)
        }
        return page.sort(([a], [b]) => (a < b ? -1 : 1))
      }

      let swept = 0
      const flush = Effect.gen(function* () {
        for (let left = due.size; left > 0; left -= rowsAtOnce) yield* flushPage(nextPage())

        const today = Math.floor(clock.currentTimeMillisUnsafe() / dayMs)
        if (today === swept) return
        yield* sql`delete from usage where day < ${new Date((today - 2) * dayMs).toISOString().slice(0, 10)}::date`
        swept = today
        // One at a time: two would both add the same pending calls.
      }).pipe(Semaphore.makeUnsafe(1).withPermit, Effect.withSpan("Limits.flush"))

      yield* Effect.addFinalizer(() => Effect.ignore(flush))

      const keys = (network: string) => claims(network, plans.key, "key:")

      return Limits.of({
        keyless: (network) => take(claims(network, free)),
        keyed: (account, tier, network) => {
          const claim = { subject: account, plan: ofTier.get(tier)?.reads ?? free }
          return take(tier === "free" ? [claim, ...claims(network, free)] : [claim])
        },
        encoder: (network) => take(claims(network, byMinute, "calls:")),
        account: (network, subscriber) =>
          take(
            subscriber === undefined || subscriber.tier === "free"
              ? claims(network, plans.account, "account:")
              : [
                  {
                    subject: `account:${subscriber.id}`,
                    plan: ofTier.get(subscriber.tier)?.account ?? plans.account
                  }
                ]
          ),
        payment: (network) => take(claims(network, plans.payment, "payment:")),
        lookUp: (network) => take(keys(network)),
        found: (network) => {
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

  /** Writes each second what was counted. */
  static readonly layerWriting = Layer.effectDiscard(
    Effect.flatMap(Limits, ({ flush }) => inBackground("writing usage", "1 second", flush))
  )

  /** Counts, and writes each second. */
  static readonly layer = Limits.layerWriting.pipe(Layer.provideMerge(Limits.layerUnwritten))
}
