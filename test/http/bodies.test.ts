/** Bodies of requests: every address whose answer holds a slot reads them within their bounds, and no slow sender holds others up. */
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
  const errorOf = (path: string) =>
    Effect.map(post(path), ({ body }) => String(JSON.parse(body.toString("utf8")).error))

  it.effect(
    "is refused at every address that holds a slot while its network has as many on their way as may be",
    () =>
      Effect.gen(function* () {
        assert.includeMembers(
          holding.map(({ path }) => path),
          ["/v1/query", "/v1/asof"]
        )
        const { port } = yield* Service
        const before = new Map<string, string>()
        for (const { path } of holding) before.set(path, yield* errorOf(path))
        yield* Effect.gen(function* () {
          // Each of another address that reads bodies, so that they are counted together.
          for (let n = 0; n < mostOfNetwork; n++)
            yield* slowBody(port, holding[n % holding.length]?.path ?? "")
          for (const { path } of holding) {
            const refused = yield* Effect.repeat(errorOf(path), {
              until: (error) => error !== before.get(path),
              times: 200
            })
            assert.strictEqual(refused, "too_many_requests", path)
          }
          // Nobody else waits for them: neither reads nor what holds no slot.
          const { call } = yield* Service
          assert.strictEqual((yield* call("/v1/networks")).status, 200)
          assert.strictEqual((yield* post("/v1/credits/register")).status, 200)
        }).pipe(Effect.scoped)
        for (const { path } of holding)
          yield* Effect.repeat(errorOf(path), { until: (error) => error === before.get(path) })
      })
  )

  it("waits for its turn at every other address, but for those whose bytes are ready", () => {
    const others = posts.filter((one) => !holding.includes(one)).map(({ path }) => path)
    assert.deepStrictEqual(others.filter(neverWaits), ["/webhooks/stripe"])
  })
})
