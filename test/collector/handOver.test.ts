import { MessageChannel, type MessagePort } from "node:worker_threads"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Delivery, RunResult } from "../../core/readings/ingest/Run.ts"
import { handOver } from "../../runtime/collector/handOver.ts"
import type { FromThread } from "../../runtime/collector/protocol.ts"

const run: RunResult = {
  id: "0",
  plugin: "one",
  started: "2026-11-21T12:00:00Z",
  finished: "2026-11-21T12:00:00Z",
  now: "2026-11-21T12:00:00Z",
  code_hash: "0".repeat(64),
  targets_sha256: "0".repeat(64),
  settings: {},
  status: "ok",
  exchanges: [],
  observations: [],
  refused: []
}

const ports = Effect.acquireRelease(
  Effect.sync(() => new MessageChannel()),
  ({ port1 }) => Effect.sync(() => port1.close())
)

/** What has arrived once everything that was sent before has. */
const settle = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 0)))

const listen = (port: MessagePort) => {
  const messages: Array<Extract<FromThread, { type: "delivery" }>> = []
  port.on("message", (message: FromThread) => {
    if (message.type === "delivery") messages.push(message)
  })
  return messages
}

it.effect("hands over as many runs as may wait, and one more for each that is taken", () =>
  Effect.gen(function* () {
    const { port1, port2 } = yield* ports
    const messages = listen(port1)
    const deliver = handOver(port2, 2)
    const deliveries = [1, 2, 3, 4].map(
      (n): Delivery => ({ run, bodies: new Map([[`${n}`, new Uint8Array([n])]]) })
    )
    const fiber = yield* Effect.forkChild(Effect.forEach(deliveries, deliver, { concurrency: "unbounded" }))
    while (messages.length < 2) yield* settle
    for (let n = 0; n < 10; n++) yield* settle
    assert.lengthOf(messages, 2)
    port1.postMessage({ taken: 99 })
    port1.postMessage({ taken: messages[0]?.n })
    while (messages.length < 3) yield* settle
    for (let n = 0; n < 10; n++) yield* settle
    assert.lengthOf(messages, 3)
    for (const { n } of messages.slice(1)) port1.postMessage({ taken: n })
    while (messages.length < 4) yield* settle
    port1.postMessage({ taken: messages[3]?.n })
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(
      messages.flatMap(({ delivery }) => [...delivery.bodies.values()].map(([byte]) => byte)),
      [1, 2, 3, 4]
    )
    // The bodies were moved: the sender has none of them left.
    assert.isTrue(deliveries.every(({ bodies }) => [...bodies.values()].every(({ length }) => length === 0)))
  })
)
