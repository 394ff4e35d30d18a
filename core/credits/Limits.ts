/**
 * How many calls a caller may make: a token bucket per minute, in memory and per process, and a daily quota, shared.
 * The daily count is kept in memory and added to SQL each second, which answers with the count of all replicas: so it
 * survives a restart, and it is overshot by at most what one caller gets through in that second on each replica (its
 * burst). Refused calls count for nothing.
 */

import { Array as Arr, Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Tier } from "../wire/credits/tiers.ts"
import { Secret } from "./Secret.ts"
import { tiers } from "./tiers.ts"

/** Limits without a subscription, with a key or without (`KEYLESS_PER_MINUTE`, `KEYLESS_PER_DAY`); null is none. */
export const LimitSettings = Context.Reference<{
  readonly perMinute: number | null
  readonly perDay: number | null
}>("core/credits/LimitSettings", {
  defaultValue: () => ({ perMinute: tiers.free.perMinute, perDay: tiers.free.perDay })
})

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
  day: number
  /** Calls of the day as SQL last told, of all replicas. */
  shared: number
  /** Calls that SQL does not know yet. */
  pending: number
}

const dayMs = 24 * 60 * 60 * 1000
// Far more callers than a process serves in a minute; the quietest go first.
const mostMeters = 100_000

const plan = (limits: Omit<Plan, "policy">): Plan => ({
  ...limits,
  policy: [
    ...(limits.perMinute === null ? [] : [`"minute";q=${limits.perMinute};w=60`]),
    ...(limits.perDay === null ? [] : [`"day";q=${limits.perDay};w=86400`])
  ].join(", ")
})

export class Limits extends Context.Service<
  Limits,
  {
    /** Counts a call without a known key, for its originating network. Never waits. */
    readonly keyless: (network: string) => Verdict
    /** Counts a call of an account. Never waits. */
    readonly keyed: (account: string, tier: Tier) => Verdict
    /** Counts a call to the encoder API by the minute, whatever its key: the quota of a day is `EncoderKeys`'. Never waits. */
    readonly encoder: (network: string) => Verdict
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

      const free = plan({ ...settings, burst: tiers.free.burst })
      const minute = plan({ perMinute: settings.perMinute, perDay: null, burst: tiers.free.burst })
      const plans = new Map<Tier, Plan>([["free", free]])
      const planOf = (tier: Tier): Plan => {
        const known = plans.get(tier)
        if (known !== undefined) return known
        const made = plan(tiers[tier])
        plans.set(tier, made)
        return made
      }

      const meters = new Map<string, Meter>()
      const subjects = new Map<string, string>()

      /** Networks are kept as keyed hashes, in memory by their text: a hash for each call would cost more than the call. */
      const subjectOf = (network: string): string => {
        const known = subjects.get(network)
        if (known !== undefined) return known
        if (subjects.size >= mostMeters) subjects.clear()
        const subject = `net:${Hex.encode(secret.hmac("limits", network))}`
        subjects.set(network, subject)
        return subject
      }

      const meterOf = (subject: string, now: number, burst: number): Meter => {
        const day = Math.floor(now / dayMs)
        const known = meters.get(subject)
        if (known !== undefined) {
          if (known.day !== day) Object.assign(known, { day, shared: 0, pending: 0 })
          return known
        }
        if (meters.size >= mostMeters) {
          for (const [oldest, { pending }] of meters) {
            if (pending > 0) continue
            meters.delete(oldest)
            break
          }
        }
        const meter: Meter = { tokens: burst, refilledAt: now, day, shared: 0, pending: 0 }
        meters.set(subject, meter)
        return meter
      }

      const take = (subject: string, limits: Plan): Verdict => {
        if (limits.perMinute === null && limits.perDay === null) return { allowed: true, headers: [] }
        const now = clock.currentTimeMillisUnsafe()
        const meter = meterOf(subject, now, limits.burst)
        const perMs = (limits.perMinute ?? Number.POSITIVE_INFINITY) / 60_000
        if (limits.perMinute !== null) {
          meter.tokens = Math.min(limits.burst, meter.tokens + Math.max(0, now - meter.refilledAt) * perMs)
          meter.refilledAt = now
        }
        const used = meter.shared + meter.pending
        const dayLeft = limits.perDay === null ? undefined : limits.perDay - used
        const dayEnds = Math.ceil(((meter.day + 1) * dayMs - now) / 1000)
        const dayOver = dayLeft !== undefined && dayLeft < 1
        const tooFast = limits.perMinute !== null && meter.tokens < 1
        const allowed = !dayOver && !tooFast
        if (allowed) {
          if (limits.perMinute !== null) meter.tokens -= 1
          meter.pending += 1
        }
        const left = [
          ...(limits.perMinute === null
            ? []
            : [
                `"minute";r=${Math.floor(meter.tokens)};t=${Math.ceil((limits.burst - meter.tokens) / perMs / 1000)}`
              ]),
          ...(dayLeft === undefined
            ? []
            : [`"day";r=${Math.max(0, dayLeft - (allowed ? 1 : 0))};t=${dayEnds}`])
        ].join(", ")
        const headers = ["RateLimit-Policy", limits.policy, "RateLimit", left]
        if (allowed) return { allowed, headers }
        return {
          allowed,
          retryAfter: dayOver ? dayEnds : Math.max(1, Math.ceil((1 - meter.tokens) / perMs / 1000)),
          headers
        }
      }

      const flushPage = Effect.fnUntraced(function* (
        page: ReadonlyArray<readonly [string, Meter, number, number]>
      ) {
        const rows = page.map(([subject, , day, calls]) => ({
          day: new Date(day * dayMs).toISOString().slice(0, 10),
          subject,
          calls: BigInt(calls)
        }))
        if (!Arr.isArrayNonEmpty(rows)) return
        const totals = yield* sql<{ subject: string; calls: bigint }>`
          insert into usage ${sql.insert(rows)}
          on conflict (day, subject) do update set calls = usage.calls + excluded.calls
          returning subject, calls`
        const bySubject = new Map(totals.map(({ calls, subject }) => [subject, Number(calls)]))
        for (const [subject, meter, day, calls] of page) {
          if (meter.day !== day) continue
          meter.shared = bySubject.get(subject) ?? meter.shared
          meter.pending -= calls
        }
      })

      let swept = 0
      const flush = Effect.gen(function* () {
        const due = [...meters]
          .filter(([, { pending }]) => pending > 0)
          .map(([subject, meter]) => [subject, meter, meter.day, meter.pending] as const)
          // Replicas take the rows in one order, so that none waits for another in a circle.
          .sort(([a], [b]) => (a < b ? -1 : 1))
        for (const page of Arr.chunksOf(due, 500)) yield* flushPage(page)

        const today = Math.floor(clock.currentTimeMillisUnsafe() / dayMs)
        if (today === swept) return
        yield* sql`delete from usage where day < ${new Date((today - 2) * dayMs).toISOString().slice(0, 10)}::date`
        swept = today
        // One at a time: two would both add the same pending calls.
      }).pipe(Semaphore.makeUnsafe(1).withPermit, Effect.withSpan("Limits.flush"))

      yield* Effect.addFinalizer(() => Effect.ignore(flush))

      return Limits.of({
        keyless: (network) => take(subjectOf(network), free),
        keyed: (account, tier) => take(account, planOf(tier)),
        encoder: (network) => take(`calls:${subjectOf(network)}`, minute),
        flush
      })
    })
  )

  /** Counts, and writes each second. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { flush } = yield* Limits
      yield* flush.pipe(
        Effect.catchCause((cause) => Effect.logWarning("usage was not written; it is tried again", cause)),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.forkScoped
      )
    })
  ).pipe(Layer.provideMerge(Limits.layerUnwritten))
}
