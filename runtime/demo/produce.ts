/** One run of the demo: the real collector over the tape, as it would have run at another time. */
import { createHash } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import { Clock, Effect } from "effect"
import type { Delivery } from "../../core/readings/ingest/Run.ts"
import { runOnce } from "../collector/run.ts"
import { runLimits } from "../collector/runLimits.ts"
import { withProofs } from "../tape/provedChain.ts"
import { tapeAt } from "../tape/tape.ts"
import type { Tape } from "../upstream/replay.ts"
import * as Replay from "../upstream/replay.ts"
import type { Player } from "./players.ts"
import { isOut } from "./script.ts"

/** The clock of a run that takes no time: it stands at `ms`, while time limits go by the clock outside. */
export const stoppedClock = (outside: Clock.Clock, ms: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => ms,
  currentTimeMillis: Effect.succeed(ms),
  currentTimeNanosUnsafe: () => BigInt(ms) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(ms) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => outside.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: outside.monotonicTimeNanos,
  sleep: (duration) => outside.sleep(duration)
})

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

/** A UUID of version 7 that is the same for a plugin and a time, so that a demo started again keeps no run twice. */
export const runId = (plugin: string, at: number): string => {
  const time = at.toString(16).padStart(12, "0")
  const rest = sha256(`demo|${plugin}|${at}`)
  const variant = ((Number.parseInt(rest.slice(3, 4), 16) & 3) | 8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(7, 19)}`
}

/** The same requests while the upstreams are down. */
const refusing = (tape: Tape): Tape => ({
  ...tape,
  exchanges: tape.exchanges.map((exchange) => ({
    ...exchange,
    status: 503,
    headers: {},
    sha256: sha256(unavailable),
    body: unavailable
  }))
})

const unavailable = new TextEncoder().encode("upstream unavailable\n")

/** Runs a player at a time that its reel can tell of (`timeOn`), of that time or of `payloadTime` before it. Everything in it is simulated but the recording itself, where an upstream sent it. */
export const produce = Effect.fn("Demo.produce")(function* (
  { codeHash, origin, plugin, reel }: Player,
  at: number,
  payloadTime = at
) {
  const tape = isOut(plugin.manifest.id, at)
    ? refusing(tapeAt(reel, at, payloadTime))
    : tapeAt(reel, at, payloadTime)
  const proved = withProofs(plugin.manifest, tape)
  const clock = stoppedClock(yield* Clock.Clock, at)
  const { bodies, run } = yield* runOnce({
    plugin,
    codeHash,
    settings: tape.settings,
    keys: {},
    limits: runLimits,
    due: at,
    upstream: () => Effect.succeed(Replay.make(proved))
  }).pipe(Effect.provideService(Clock.Clock, clock))
  // The recording's targets, not today's catalog: they are what the rows were derived from.
  const targets = Buffer.from(JSON.stringify(tape.targets))
  const targets_sha256 = sha256(targets)
  const deliveryBodies = new Map(bodies)
  deliveryBodies.delete(run.targets_sha256)
  deliveryBodies.set(targets_sha256, new Uint8Array(zstdCompressSync(targets)))
  const simulated = proved !== reel.base || origin === "written"
  const delivery: Delivery = {
    run: {
      ...run,
      id: runId(run.plugin, at),
      targets_sha256,
      ...(simulated ? { simulated: true as const } : {})
    },
    bodies: deliveryBodies
  }
  return delivery
})
