/** Bodies of requests: every address reads them within their bounds, and no slow sender holds others up. */
import { once } from "node:events"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isOfAccounts, neverWaits } from "../../http/admission/paths.ts"
import { Api } from "../../http/api/Api.ts"
import { Site } from "../../http/explorer/Site.ts"
import { makeRoutes } from "../../http/routing/routes.ts"
import { Service } from "../support/service.ts"

/** Bodies of one network that may be on their way at once. */
const mostOfNetwork = 20

const posts = makeRoutes(Api, [], Site).all.filter(({ method }) => method === "POST")
const holding = posts.filter(({ path, takesLong, waits }) => (waits || takesLong) && !isOfAccounts(path))

const isOfPayments = (path: string) => isOfAccounts(path) || neverWaits(path)
const paths = [...posts.map(({ path }) => path.replaceAll(/:\w+/g, "x")), "/mcp", "/mcp/public"]
/** Every address that takes a POST. */
const doors = [
  ["accounts", paths.filter(isOfPayments)],
  ["all else", paths.filter((path) => !isOfPayments(path))]
] as const

/** Begins to send a body and goes on when the returned function is called; closed with the scope. */
const slowBody = (port: number, path: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      socket.on("error", () => {})
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: plumbline.test\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
      )
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

layer(Service.layer())("a request with a body", (it) => {
  const post = (path: string) =>
    Effect.flatMap(Service, ({ call }) =>
      call({ method: "POST", path, headers: { "content-type": "application/json" }, body: "{}" })
    )
  const statusOf = (path: string) => Effect.map(post(path), ({ status }) => status)

  it.effect.each(doors)(
    "is refused at every address of %s while its network has as many there on their way as may be",
    ([name, paths]) =>
      Effect.gen(function* () {
        const { call, port } = yield* Service
        const before = new Map<string, number>()
        for (const path of paths) before.set(path, yield* statusOf(path))
        yield* Effect.gen(function* () {
          // Each of another address that reads bodies, so that they are counted together.
          for (let n = 0; n < mostOfNetwork; n++) yield* slowBody(port, paths[n % paths.length] ?? "")
          for (const path of paths) {
            const refused = yield* Effect.repeat(statusOf(path), {
              until: (status) => status !== before.get(path),
              times: 200
            })
            assert.strictEqual(refused, 429, path)
          }
          // Nobody else waits for them: neither reads nor the other doors.
          assert.strictEqual((yield* call("/v1/networks")).status, 200)
          for (const [other, [path = ""]] of doors)
            if (other !== name) assert.notStrictEqual(yield* statusOf(path), 429, path)
        }).pipe(Effect.scoped)
        for (const path of paths)
          yield* Effect.repeat(statusOf(path), { until: (status) => status === before.get(path) })
      })
  )

  it("waits for its turn at every other address, but for those whose bytes are ready", () => {
    const others = posts.filter((one) => !holding.includes(one)).map(({ path }) => path)
    assert.deepStrictEqual(others.filter(neverWaits), ["/webhooks/stripe"])
  })
})
