/** The queue of answers that have to be made: who is next, who is refused, and what a slot is free for. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { makeBodies, type Sender } from "../../http/admission/bodies.ts"
import { makeQueue, type Place, type Queue, QueueBounds } from "../../http/admission/queue.ts"
import { Service } from "../support/service.ts"
import { header, json } from "../support/signed.ts"

const at = (
  network: string,
  of: Place["class"] = "keyless",
  account = "",
  slot: Place["slot"] = "held"
): Place => ({ class: of, network, wide: `wide ${network}`, account, slot })

/** Lets every fiber and the event loop come to rest. */
const rest = Effect.promise(async () => {
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve))
})

/** Fills the only slot, lets these wait in this order, and gives the order in which they ran. */
const orderOf = Effect.fnUntraced(function* (
  places: ReadonlyArray<readonly [name: string, place: Place]>,
  queue: Queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 20 })
) {
  const latch = yield* Deferred.make<void>()
  const order: Array<string> = []
  yield* Effect.forkChild(queue.enter(at("holder"), Deferred.await(latch), () => {}))
  yield* rest
  for (const [name, place] of places) {
    const run = Effect.sync(() => void order.push(name))
    yield* Effect.forkChild(queue.enter(place, run, () => void order.push(`${name} refused`)))
    yield* rest
  }
  yield* Deferred.succeed(latch, undefined)
  yield* rest
  return order
})

describe("the queue of answers", () => {
  it.effect("lets networks take turns, however many calls of one wait", () =>
    Effect.gen(function* () {
      const order = yield* orderOf([
        ["a1", at("a")],
        ["a2", at("a")],
        ["a3", at("a")],
        ["b1", at("b")],
        ["b2", at("b")],
        ["c1", at("c")]
      ])
      assert.deepStrictEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"])
    })
  )

  it.effect("lets the accounts of a network take turns", () =>
    Effect.gen(function* () {
      const order = yield* orderOf([
        ["x1", at("a", "identified", "x")],
        ["x2", at("a", "identified", "x")],
        ["x3", at("a", "identified", "x")],
        ["y1", at("a", "identified", "y")]
      ])
      assert.deepStrictEqual(order, ["x1", "y1", "x2", "x3"])
    })
  )

  it.effect("gives classes four, two and one of seven turns, and starves none", () =>
    Effect.gen(function* () {
      const order = yield* orderOf([
        ...Array.from({ length: 20 }, (_, n) => ["i", at(`identified ${n}`, "identified", "x")] as const),
        ...Array.from({ length: 20 }, (_, n) => ["k", at(`keyless ${n}`)] as const),
        ...Array.from({ length: 20 }, (_, n) => ["p", at(`pages ${n}`, "pages")] as const)
      ])
      for (let from = 0; from < 35; from += 7) {
        const turns = order.slice(from, from + 7)
        assert.deepStrictEqual(
          ["i", "k", "p"].map((name) => turns.filter((one) => one === name).length),
          [4, 2, 1],
          order.join("")
        )
      }
      // Nobody of the first class waits any more: the others have all turns, two to one.
      assert.match(order.slice(35).join(""), /^(?=(?:.{3})*$)(?:[kp]{3})+$/)
    })
  )

  it.effect("gives a class that comes late its share, and nothing for the time before", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 20 })
      yield* orderOf(
        Array.from({ length: 9 }, (_, n) => ["p", at(`pages ${n}`, "pages")] as const),
        queue
      )
      const order = yield* orderOf(
        [
          ...Array.from({ length: 8 }, (_, n) => ["i", at(`identified ${n}`, "identified")] as const),
          ...Array.from({ length: 4 }, (_, n) => ["p", at(`pages ${n}`, "pages")] as const)
        ],
        queue
      )
      assert.strictEqual(order.slice(0, 5).filter((name) => name === "p").length, 1, order.join(""))
    })
  )

  it.effect("keeps no slot for what only opens, and lets it wait for its turn", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 20 })
      const latch = yield* Deferred.make<void>()
      const order: Array<string> = []
      const run = (name: string, work: Effect.Effect<void> = Effect.void) =>
        Effect.andThen(
          Effect.sync(() => void order.push(name)),
          work
        )
      yield* Effect.forkChild(queue.enter(at("a"), Deferred.await(latch), () => {}))
      yield* rest
      yield* Effect.forkChild(
        queue.enter(at("b", "keyless", "", "opened"), run("stream", Effect.never), () => {})
      )
      yield* Effect.forkChild(queue.enter(at("c"), run("read"), () => {}))
      yield* rest
      assert.deepStrictEqual(order, [])
      yield* Deferred.succeed(latch, undefined)
      yield* rest
      assert.deepStrictEqual(order, ["stream", "read"])
    })
  )

  it.effect("refuses a network with as many waiting as may, and no other", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 2 })
      const places = [
        ["a1", at("a")],
        ["a2", at("a")],
        ["a3", at("a")],
        ["a4", at("a", "identified", "x")],
        ["b1", at("b")]
      ] as const
      assert.sameMembers([...(yield* orderOf(places, queue))], ["a3 refused", "a4", "a1", "b1", "a2"])
      // What waited waits no more.
      assert.sameMembers([...(yield* orderOf(places, queue))], ["a3 refused", "a4", "a1", "b1", "a2"])
    })
  )

  it.effect("refuses a wide network with five times as many waiting, however many addresses it has", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 2 })
      const order = yield* orderOf(
        [
          ...Array.from(
            { length: 11 },
            (_, n) => [`a${n}`, { ...at(`a ${n}`), wide: "10.1.0.0/16" }] as const
          ),
          ["b", at("b")]
        ],
        queue
      )
      assert.deepStrictEqual(order.slice(0, 1), ["a10 refused"])
      assert.lengthOf(order, 12)
    })
  )

  it.effect("forgets a client that goes away, whether it waits or is being answered", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 1 })
      const none = () => assert.fail("refused")
      const running = yield* Effect.forkChild(queue.enter(at("a"), Effect.never, none))
      yield* rest
      const waiting = yield* Effect.forkChild(queue.enter(at("a"), Effect.never, none))
      yield* rest
      yield* Fiber.interrupt(waiting)
      const next = yield* Effect.forkChild(queue.enter(at("a"), Effect.succeed("made"), none))
      yield* rest
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* Fiber.join(next), "made")
      assert.deepStrictEqual(yield* orderOf([["b1", at("b")]], queue), ["b1"])
    })
  )

  it.effect("lets the event loop turn between two answers", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 20 })
      const order: Array<string> = []
      const answer = (name: string) =>
        queue.enter(
          at("a"),
          Effect.sync(() => {
            order.push(name)
            setImmediate(() => order.push(`after ${name}`))
          }),
          () => {}
        )
      yield* Effect.all([answer("1"), answer("2"), answer("3")], { concurrency: "unbounded" })
      yield* rest
      assert.deepStrictEqual(order, ["1", "after 1", "2", "after 2", "3", "after 3"])
    })
  )

  it.effect("lets it turn between the answers of two slots that become free together", () =>
    Effect.gen(function* () {
      const queue = makeQueue({ slots: 2, mostWaitingOfNetwork: 20 })
      const latch = yield* Deferred.make<void>()
      const order: Array<string> = []
      const answer = (name: string) =>
        queue.enter(
          at("a"),
          Effect.sync(() => {
            order.push(name)
            setImmediate(() => order.push(`after ${name}`))
          }),
          () => {}
        )
      const both = Effect.all(
        [1, 2].map(() => queue.enter(at("a"), Deferred.await(latch), () => {})),
        { concurrency: "unbounded" }
      )
      yield* Effect.forkChild(both)
      yield* rest
      for (const name of ["1", "2", "3", "4"]) yield* Effect.forkChild(answer(name))
      yield* rest
      yield* Deferred.succeed(latch, undefined)
      yield* rest
      assert.deepStrictEqual(order, ["1", "after 1", "2", "after 2", "3", "after 3", "4", "after 4"])
    })
  )
})

const posted = (value: object) => ({
  headers: { "content-type": "application/json", host: "plumbline.test" },
  body: JSON.stringify(value)
})

const bounds = Layer.succeed(QueueBounds, { slots: 0, mostWaitingOfNetwork: 0 })

layer(Service.layer().pipe(Layer.provide(bounds)))("a service that makes no answers", (it) => {
  it.effect(
    "says when to come again, whatever costs the loop is asked for, and answers what is ready bytes",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        for (const path of [
          "/v1/networks",
          "/openapi.json",
          "/products",
          "/v1/log/checkpoint",
          "/v1/credits/pricing",
          "/v1/export?dataset=depin_networks",
          "/v1/events",
          "/v1/stream",
          "/x402/v1/data/depin_networks"
        ]) {
          const reply = yield* call(path)
          assert.strictEqual(reply.status, 429, path)
          assert.strictEqual(header(reply, "retry-after"), "1")
          assert.match(String(json(reply)["message"]), /wait for their answers/)
        }
        for (const path of ["/v1/query", "/v1/credits/purchase"]) {
          assert.strictEqual((yield* call({ method: "POST", path, ...posted({}) })).status, 429, path)
        }
        for (const path of ["/mcp", "/mcp/public"]) {
          const reply = yield* call({
            method: "POST",
            path,
            ...posted({ jsonrpc: "2.0", id: 1, method: "tools/list" })
          })
          assert.strictEqual(reply.status, 429, path)
          assert.match(reply.body.toString(), /wait for their answers/)
        }
        for (const path of ["/health", "/readyz", "/v1/world", "/.well-known/service-signing-key.json"]) {
          assert.strictEqual((yield* call(path)).status, 200, path)
        }
      })
  )

  it.effect("lets nobody past for a header that a stranger can write", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const headers of [
        { "x-payment": "x" },
        { "payment-signature": "x" },
        { authorization: "Payment x" },
        { "x-api-key": `plk_${"0".repeat(43)}` }
      ]) {
        assert.strictEqual(
          (yield* call({ path: "/v1/networks", headers })).status,
          429,
          JSON.stringify(headers)
        )
      }
    })
  )
})

describe("bodies", () => {
  it.effect(
    "are read before a slot is taken, and are bounded of one network, of the wide one and in all",
    () =>
      Effect.gen(function* () {
        const queue = makeQueue({ slots: 1, mostWaitingOfNetwork: 20 })
        const bodies = makeBodies({ bytes: 70, ofNetwork: 1 })
        const read = (
          network: string,
          body: Effect.Effect<void>,
          { most = 10, to = "others", wide = network }: Partial<Sender> = {}
        ) =>
          bodies.read(
            { network, wide, to, most },
            body,
            queue.enter(at(network), Effect.succeed("made"), () => "crowded"),
            () => "too many"
          )
        const slow = yield* Effect.forkChild(read("a", Effect.never))
        yield* rest
        // Whoever sends slowly keeps nobody waiting.
        assert.strictEqual(yield* read("b", Effect.void), "made")
        assert.strictEqual(yield* read("a", Effect.void), "too many")
        assert.strictEqual(yield* read("a", Effect.void, { to: "accounts" }), "made")
        const many = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
          Effect.forkChild(read(`w${n}`, Effect.never, { wide: "w" }))
        )
        yield* rest
        assert.strictEqual(yield* read("w6", Effect.void, { wide: "w" }), "too many")
        // 60 bytes may be on their way.
        assert.strictEqual(yield* read("c", Effect.void, { most: 11 }), "too many")
        assert.strictEqual(yield* read("c", Effect.void), "made")
        yield* Effect.forEach([slow, ...many], Fiber.interrupt)
        assert.strictEqual(yield* read("a", Effect.void), "made")
        assert.strictEqual(yield* read("c", Effect.void, { most: 70 }), "made")
      })
  )
})
