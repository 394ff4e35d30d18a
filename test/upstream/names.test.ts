/** Name resolution against a local name server that answers for some names and hangs for others. */
import { createSocket } from "node:dgram"
import { promises } from "node:dns"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolveBy } from "../../runtime/upstream/address.ts"

/** RFC 1035, 4: the question's name, and an answer to an A question with 1.2.3.4. */
const nameOf = (query: Buffer): string => {
  const labels: Array<string> = []
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1) {
    labels.push(query.subarray(at + 1, at + 1 + (query[at] ?? 0)).toString())
  }
  return labels.join(".")
}
const answerTo = (query: Buffer): Buffer => {
  const end = 12 + nameOf(query).length + 2
  const isA = query.readUInt16BE(end) === 1
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(isA ? 1 : 0, 6)
  head.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4])
  return Buffer.concat([head, query.subarray(12, end + 4), ...(isA ? [record] : [])])
}

const nameServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const socket = createSocket("udp4")
    socket.on("message", (query, { address, port }) => {
      if (!nameOf(query).startsWith("hanging")) socket.send(answerTo(query), port, address)
    })
    await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound))
    return socket
  }),
  (socket) => Effect.sync(() => socket.close())
)

const never = () => Promise.reject(new Error("the system was asked"))

it.effect("names that hang do not keep another one waiting", () =>
  Effect.gen(function* () {
    const server = yield* nameServer
    const resolver = new promises.Resolver({ timeout: 60_000, tries: 1 })
    resolver.setServers([`127.0.0.1:${server.address().port}`])
    const resolve = resolveBy(resolver, never)
    let over = 0
    // More than the threads of the pool.
    const hanging = Array.from({ length: 20 }, (_, n) =>
      resolve(`hanging-${n}.sample.test`).then(
        () => over++,
        () => over++
      )
    )
    assert.deepStrictEqual(yield* Effect.promise(() => resolve("api.sample.test")), [
      { address: "1.2.3.4", family: 4 }
    ])
    assert.strictEqual(over, 0)
    resolver.cancel()
    yield* Effect.promise(() => Promise.all(hanging))
  })
)

it.effect("the system is asked only where there is no name server", () =>
  Effect.gen(function* () {
    const failing = (code: string) => ({
      resolve4: () => Promise.reject(Object.assign(new Error(code), { code })),
      resolve6: () => Promise.reject(Object.assign(new Error(code), { code }))
    })
    const system = async () => [{ address: "1.1.1.1", family: 4 }]
    const refused = resolveBy(failing("ECONNREFUSED"), system)
    assert.lengthOf(yield* Effect.promise(() => refused("api.sample.test")), 1)
    const unknown = resolveBy(failing("ENOTFOUND"), system)
    const error = yield* Effect.promise(() =>
      unknown("api.sample.test").catch((reason: Error) => reason.message)
    )
    assert.strictEqual(error, "ENOTFOUND")
  })
)
