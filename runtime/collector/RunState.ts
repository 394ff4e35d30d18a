/** When a plugin runs next: its cadence and its breaker. Plain data, so one thread can pass it to the next. */
import { createHash } from "node:crypto"
import { Duration, Schema } from "effect"
import { minute } from "../../core/plugin/time.ts"
import type { BackoffPolicy } from "./runLimits.ts"

const Times = Schema.optionalKey(Schema.Finite)

/** The schedule and history of a plugin. Times are epoch milliseconds. */
export const RunState = Schema.Struct({
  /** The origin of its cadence: it runs at `base + k * every`. */
  base: Schema.Finite,
  next: Schema.Finite,
  /** Consecutive failures. */
  failing: Schema.Natural,
  /** How often the breaker has opened in a row. */
  openings: Schema.Natural,
  runs: Schema.Natural,
  failures: Schema.Natural,
  /** What was wrong with the last run: it failed, or all its readings were refused. Absent if nothing was. */
  trouble: Schema.optionalKey(Schema.Literals(["failing", "refusing"])),
  lastStarted: Times,
  lastSuccess: Times,
  lastFailure: Times,
  lastError: Schema.optionalKey(Schema.String)
})
export interface RunState extends Schema.Schema.Type<typeof RunState> {}

/** How far the clocks of two machines may be apart, in milliseconds. */
const clocksApart = 5 * minute

/** A number in [0, 1) that depends only on the id. */
export const shareOf = (id: string): number =>
  createHash("sha256").update(id).digest().readUInt32BE(0) / 2 ** 32

/** A plugin that has not run. Its id determines when it starts, so 400 plugins do not start at once. */
export const fresh = (id: string, every: number, now: number, backoff: BackoffPolicy): RunState => {
  const base = now + Math.floor(shareOf(id) * Math.min(every, Duration.toMillis(backoff.spread)))
  return { base, next: base, failing: 0, openings: 0, runs: 0, failures: 0 }
}

/** A plugin's stored runs before this process. Times are epoch milliseconds. */
export interface Earlier {
  readonly lastStarted: number
  readonly lastSuccess?: number
  readonly lastFailure?: number
  readonly trouble?: "failing" | "refusing"
  /** What was wrong with its last run; absent if nothing was. */
  readonly lastError?: string
}

/**
 * A plugin that ran before this process. It keeps its cadence, so a daily plugin does not run at every start. It starts
 * like a fresh one if it is overdue, if its last run failed, or if that run lies in the future (the clock was set back).
 */
export const resumed = (
  id: string,
  every: number,
  now: number,
  backoff: BackoffPolicy,
  earlier: Earlier
): RunState => {
  const { lastStarted, trouble } = earlier
  const start = fresh(id, every, now, backoff)
  const due = lastStarted + every
  const goesOn = trouble !== "failing" && lastStarted <= now && due > now
  return { ...start, ...(goesOn ? { base: due, next: due } : {}), ...earlier }
}

/**
 * A plugin that another process ran until now: it goes on where that process left it. One that has been overdue for
 * longer than first runs are spread over starts like a fresh one, so that they do not all start at once; so does one whose
 * last run lies in the future, because that process's clock was wrong.
 */
export const continued = (
  id: string,
  every: number,
  now: number,
  backoff: BackoffPolicy,
  before: RunState
): RunState => {
  const isAhead = (before.lastStarted ?? 0) > now + clocksApart
  if (!isAhead && before.next > now - Duration.toMillis(backoff.spread)) return before
  const { base, next } = fresh(id, every, now, backoff)
  return { ...before, base, next }
}

/** Whether the breaker is open. The next scheduled run tries it. */
export const isOpen = (runState: RunState, backoff: BackoffPolicy): boolean =>
  runState.failing >= backoff.failures

const onGrid = ({ base }: RunState, every: number, now: number): number =>
  base + (Math.max(-1, Math.floor((now - base) / every)) + 1) * every

export const started = (runState: RunState, now: number): RunState => ({
  ...runState,
  runs: runState.runs + 1,
  lastStarted: now
})

/** After a success the plugin returns to its cadence. Runs that a long run has missed are skipped. */
export const succeeded = ({ trouble, ...runState }: RunState, every: number, now: number): RunState => ({
  ...runState,
  failing: 0,
  openings: 0,
  lastSuccess: now,
  next: onGrid(runState, every, now)
})

/**
 * After a run whose readings were all refused. The upstream answers, so the plugin keeps its cadence, but this does not
 * count as a success.
 */
export const refused = (runState: RunState, every: number, now: number, error: string): RunState => ({
  ...runState,
  failing: 0,
  openings: 0,
  failures: runState.failures + 1,
  trouble: "refusing",
  lastFailure: now,
  lastError: error,
  next: onGrid(runState, every, now)
})

/** After a failure the next run comes earlier than its cadence, until the breaker opens. */
export const failed = (
  runState: RunState,
  every: number,
  now: number,
  error: string,
  backoff: BackoffPolicy
): RunState => {
  const failing = runState.failing + 1
  const after: RunState = {
    ...runState,
    failing,
    failures: runState.failures + 1,
    trouble: "failing",
    lastFailure: now,
    lastError: error
  }
  if (failing >= backoff.failures) return opened(after, now, backoff)
  const retry = Duration.toMillis(backoff.retry) * 2 ** (failing - 1)
  return { ...after, next: Math.min(onGrid(runState, every, now), now + Math.min(retry, every)) }
}

/** The breaker opens at once: for a plugin that blocked the thread. */
export const blocked = (runState: RunState, now: number, error: string, backoff: BackoffPolicy): RunState =>
  opened(
    {
      ...runState,
      failing: Math.max(runState.failing + 1, backoff.failures),
      failures: runState.failures + 1,
      trouble: "failing",
      lastFailure: now,
      lastError: error
    },
    now,
    backoff
  )

const opened = (runState: RunState, now: number, backoff: BackoffPolicy): RunState => ({
  ...runState,
  openings: runState.openings + 1,
  next:
    now +
    Math.min(
      Duration.toMillis(backoff.open) * 2 ** Math.min(runState.openings, 30),
      Duration.toMillis(backoff.longestOpen)
    )
})
