/** Plugins for the tests of the supervisor: good ones, and ones that misbehave each in its own way. */
import { createHash } from "node:crypto"
import { Effect, Schedule } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { type Collected, define, type Plugin } from "../../core/plugin/Plugin.ts"
import * as Port from "../../core/plugin/Upstream.ts"
import type { Observation } from "../../core/plugin/Value.ts"

export const url = "https://api.sample.test/v1"

const manifestOf = (id: string) =>
  ({
    id,
    title: id,
    covers: { networks: ["SMP"] },
    tier: "supply_telemetry",
    source: "sample",
    hosts: ["api.sample.test"],
    every: "1 minute",
    metrics: { nodes: { unit: "count", meaning: "Nodes." } },
    grade: "A",
    owner: "plumbline"
  }) as const

/** Reads one answer and says what its length is. */
export const good = (id: string, more: Partial<Manifest<"nodes">> = {}): Plugin =>
  define({
    ...manifestOf(id),
    ...more,
    metrics: manifestOf(id).metrics,
    collect: (observe) =>
      Effect.map(Port.text(url), (answer) => observe(answer, { nodes: answer.body.length }))
  })

/** A plugin that was not made by `define`, as a build without types could have it. */
const raw = (id: string, collect: unknown): Plugin => ({
  manifest: manifestOf(id),
  collect: collect as Plugin["collect"]
})

const row: Observation = {
  symbol: "SMP",
  metric: "nodes",
  value: 1,
  unit: "count",
  source: "sample",
  verify_url: url,
  as_of: "2026-11-21T12:00:00Z"
}

const collected = (observations: ReadonlyArray<unknown>): Effect.Effect<Collected> =>
  Effect.succeed({ observations: observations as ReadonlyArray<Observation>, refused: [] })

const dead = "https://api.sample.test/dead"

/** Ways to misbehave, with the tag of the error that the run must end in. */
export const bad: ReadonlyArray<readonly [way: string, tag: string, make: (id: string) => Plugin]> = [
  ["hangs", "RunTimeout", (id) => raw(id, Effect.never)],
  ["hangs and cannot be interrupted", "RunTimeout", (id) => raw(id, Effect.uninterruptible(Effect.never))],
  ["is slower than its limit", "RunTimeout", (id) => raw(id, Effect.delay(collected([row]), "2 minutes"))],
  [
    "retries without end",
    "RunTimeout",
    (id) => raw(id, Effect.retry(Port.text(dead), Schedule.spaced("1 second")))
  ],
  [
    "throws",
    "Defect",
    (id) =>
      raw(
        id,
        Effect.sync(() => {
          throw new Error("thrown")
        })
      )
  ],
  ["dies", "Defect", (id) => raw(id, Effect.die("dead"))],
  ["is no effect at all", "Defect", (id) => raw(id, undefined)],
  ["fails", "UpstreamUnreachable", (id) => raw(id, Port.text(dead))],
  ["fails with nonsense", "Failure", (id) => raw(id, Effect.fail(null))],
  ["interrupts itself", "RunInterrupted", (id) => raw(id, Effect.interrupt)],
  ["floods with rows", "RunFlooded", (id) => raw(id, collected(Array.from({ length: 50_001 }, () => row)))],
  ["floods its upstream", "RunFlooded", (id) => raw(id, Effect.forever(Effect.exit(Port.text(dead))))],
  ["swallows too much", "RunFlooded", (id) => raw(id, Effect.forever(Port.bytes(url)))],
  ["gives null", "RunNonsense", (id) => raw(id, Effect.succeed(null))],
  ["gives a text", "RunNonsense", (id) => raw(id, Effect.succeed("rows"))],
  ["gives NaN", "RunNonsense", (id) => raw(id, collected([{ ...row, value: Number.NaN }]))],
  ["gives rows of no shape", "RunNonsense", (id) => raw(id, collected([row, { value: "1" }]))]
]

const body = Buffer.from("x".repeat(1000))
const sha256 = createHash("sha256").update(body).digest("hex")

/** An upstream that answers every URL but one at once. */
export const upstream = (run: {
  readonly now: number
  readonly targets: ReadonlyArray<Port.Target>
  readonly settings: Readonly<Record<string, string>>
}) =>
  Effect.succeed(
    Port.Upstream.of({
      ...run,
      exchange: (request) =>
        request.url === dead
          ? Effect.fail(new Port.UpstreamUnreachable({ request: Port.nameOf(request), detail: "dead" }))
          : Effect.succeed({ request, at: run.now, status: 200, headers: {}, sha256, body })
    })
  )
