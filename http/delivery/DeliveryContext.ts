/** What every answer is made with. */
import type { Effect } from "effect"
import type { BySource } from "../../core/readings/read/readable.ts"
import type { Bodies } from "../admission/bodies.ts"
import type { Queue } from "../admission/queue.ts"
import type { ProblemPage } from "../explorer/pages/problem.ts"
import type { HttpSettings } from "../HttpSettings.ts"
import type { Counts } from "../metrics/Counts.ts"
import type { Routes } from "../routing/routes.ts"
import type { Sign } from "../signing/sign.ts"
import type { ByteCache } from "./ByteCache.ts"
import type { Encode } from "./coding.ts"
import type { RateLimits } from "./RateLimits.ts"
import type { Refusals } from "./refusals.ts"
import type { SingleFlight } from "./singleFlight.ts"

export interface DeliveryContext {
  readonly settings: HttpSettings["Service"]
  /** The headers of every response. */
  readonly common: Readonly<Record<string, string>>
  readonly routes: Routes
  readonly limits: RateLimits["Service"]
  /** Of which sources answers have values: `Readable` of every request. */
  readonly showable: Effect.Effect<BySource | undefined>
  readonly sign: Sign
  readonly encode: Encode
  readonly cache: ByteCache
  readonly counts: Counts
  readonly singleFlight: SingleFlight
  readonly queue: Queue
  /** Of what takes long. */
  readonly longQueue: Queue
  /** Of those that wait for a slot with a body. */
  readonly bodies: Bodies
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
  /** How far the data clock is ahead of the wall clock, in milliseconds. */
  readonly dataOffset: number
  readonly refusals: Refusals
  /** Refusals of what people open, as pages. */
  readonly problemPage: ProblemPage
}
