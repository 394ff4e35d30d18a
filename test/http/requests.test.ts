/** Walks `requests.txt`. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Current } from "../../core/readings/read/Current.ts"
import { authority, latestRow, Service } from "../support/service.ts"
import { header, json, messageFault, signatureFault } from "../support/signed.ts"

interface Block {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly status: number
  readonly type: string
  readonly expected: ReadonlyArray<readonly [name: string, value: string]>
  readonly field: string | undefined
}

const split = (line: string): readonly [string, string] => {
  const at = line.indexOf(": ")
  return [line.slice(0, at).toLowerCase(), line.slice(at + 2)]
}

const parse = (text: string): Block => {
  const [first = "", ...rest] = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  const [method = "", path = ""] = first.split(" ")
  const requestLines = rest.filter((line) => line.startsWith("> ")).map((line) => line.slice(2))
  const [answer = "", ...back] = rest.filter((line) => line.startsWith("< ")).map((line) => line.slice(2))
  const [status = "", ...type] = answer.split(" ")
  return {
    method,
    path,
    headers: Object.fromEntries(requestLines.filter((line) => !line.startsWith("body ")).map(split)),
    body: requestLines.find((line) => line.startsWith("body "))?.slice(5),
    status: Number(status),
    type: type.join(" "),
    expected: back.filter((line) => !line.startsWith("field ")).map(split),
    field: back.find((line) => line.startsWith("field "))?.slice(6)
  }
}

const blocks = readFileSync(new URL("requests.txt", import.meta.url), "utf8")
  .split("\n\n")
  .map(parse)
  .filter(({ method }) => method !== "")
  .map((block, place) => ({ ...block, name: `${place + 1}: ${block.method} ${block.path}` }))

layer(Service.layer())("request", (it) => {
  it.effect.each(blocks)("$name", (block) =>
    Effect.gen(function* () {
      const service = yield* Service
      const current = yield* Current
      yield* current.apply(Array.from({ length: 20 }, (_, n) => latestRow(n + 1, { metric: `metric_${n}` })))
      const reply = yield* service.call({
        method: block.method,
        path: block.path,
        headers: block.headers,
        ...(block.body === undefined ? {} : { body: block.body })
      })
      const summary = `${reply.status} ${reply.body.toString("utf8").slice(0, 300)}`
      assert.strictEqual(reply.status, block.status, summary)
      assert.strictEqual(header(reply, "content-type"), block.type)
      const values = block.expected.map(([name]) => [name, header(reply, name)] as const)
      assert.deepStrictEqual(
        values.map(([name, value]) => [name, value === "" ? "-" : value]),
        block.expected.map(([name, value], n) => [name, value === "*" ? (values[n]?.[1] ?? "") : value])
      )
      // A HEAD is over the body that a GET would have.
      const body = block.method === "HEAD" ? (yield* service.call(block.path)).body : reply.body
      assert.isUndefined(signatureFault(reply, service.keys, authority, body))
      if (block.type !== "application/problem+json") return
      const problem = JSON.parse(body.toString("utf8"))
      assert.strictEqual(problem.status, block.status)
      assert.match(problem.type, /^\/problems\/[a-z-]+$/)
      assert.strictEqual(problem.error, problem.type.slice("/problems/".length).replaceAll("-", "_"))
      assert.strictEqual(problem.message, problem.detail)
      assert.isAbove(problem.title.length, 0)
      assert.strictEqual(problem.field, block.field)
      assert.notMatch(problem.message, /\n|\.ts:\d|node_modules/)
      const page = yield* service.call(problem.type)
      assert.strictEqual(page.status, 200, `no page at ${problem.type}`)
    })
  )

  it.effect("a GET on a path that wants a POST says how to call it", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const { hint } = json(yield* service.call("/v1/credits/register")) as {
        readonly hint: { readonly method: string; readonly body: object; readonly sample: string }
      }
      assert.strictEqual(hint.method, "POST")
      assert.property(hint.body, "properties")
      assert.match(hint.sample, /^curl -X POST 'https:\/\/plumbline\.test\/v1\/credits\/register'/)
    })
  )

  it.effect("a body of more than 64 KiB is a 413", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const reply = yield* service.call({
        method: "POST",
        path: "/v1/credits/register",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ agent_name: "a".repeat(70_000) })
      })
      assert.strictEqual(reply.status, 413)
      assert.strictEqual(json(reply)["type"], "/problems/body-too-large")
      assert.isUndefined(messageFault(reply, service.keys, authority))
    })
  )

  it.effect("a body in a coding is a 415, also where the answer to the address is ready", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const path = "/v1/networks?limit=3"
      assert.strictEqual((yield* service.call(path)).status, 200)
      assert.strictEqual((yield* service.call(path)).status, 200)
      for (const coding of ["gzip", "br"]) {
        assert.strictEqual(
          (yield* service.call({ path, headers: { "content-encoding": coding } })).status,
          415
        )
      }
    })
  )

  it.effect("an address of more than 2048 characters is a 414", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const reply = yield* service.call(`/v1/networks?cursor=${"a".repeat(2048)}`)
      assert.strictEqual(reply.status, 414)
      assert.strictEqual(json(reply)["type"], "/problems/address-too-long")
      assert.isUndefined(signatureFault(reply, service.keys, authority))
      const path = "/v1/networks?cursor="
      const long = (length: number) => service.call(path + "a".repeat(length - path.length))
      assert.deepStrictEqual([(yield* long(2048)).status, (yield* long(2049)).status], [400, 414])
    })
  )
})

layer(Service.layer({ mode: "replay" }))("a service in replay", (it) => {
  it.effect.each(["/try", "/nowhere", "/docs", "/v1/network/NO-SUCH"])("says so on %s", (path) =>
    Effect.gen(function* () {
      const service = yield* Service
      for (const again of [path, path]) {
        assert.strictEqual(header(yield* service.call(again), "x-service-mode"), "replay")
      }
    })
  )
})
