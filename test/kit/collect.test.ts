/** `plumbline collect`, in a process of its own, against a stand-in for the upstream. */
import { execFile } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

const standIn = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly close: () => void }>((resolve) => {
        const server = createServer((request, response) => {
          response.writeHead(request.url?.startsWith("/summary?") === true ? 200 : 404, {
            "content-type": "application/json",
            date: "Sat, 05 Sep 2026 10:58:30 GMT"
          })
          response.end(
            JSON.stringify({
              relays_published: "2026-09-05 10:00:00",
              relays: [{}],
              relays_truncated: 7999,
              bridges_published: "2026-09-05 09:30:00",
              bridges: [{}],
              bridges_truncated: null
            })
          )
        }).listen(0, "127.0.0.1", () =>
          resolve({ port: (server.address() as AddressInfo).port, close: () => server.close() })
        )
      })
  ),
  ({ close }) => Effect.sync(close)
)

const collect = (map: string, ...options: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>((resolve) =>
        execFile(
          process.execPath,
          [bin, "collect", "tor", ...options],
          { env: { UPSTREAM_MAP: map } },
          (error, out, err) => resolve({ code: error?.code ?? 0, out, err })
        )
      )
  )

it.live(
  "shows the rows of one run, and says why a run failed",
  () =>
    Effect.gen(function* () {
      const { port } = yield* standIn
      const result = yield* collect(`onionoo.torproject.org=http://127.0.0.1:${port}`)
      assert.strictEqual(result.code, 0, result.err)
      assert.match(result.out, /TOR {2}nodes_online {2}8000 {2}count {2}2026-09-05T10:00:00Z/)
      assert.notInclude(result.out, "bridges_online")

      const json = yield* collect(`onionoo.torproject.org=http://127.0.0.1:${port}`, "--json")
      assert.deepStrictEqual(
        JSON.parse(json.out).observations.map(({ metric, value }: Record<string, unknown>) => [
          metric,
          value
        ]),
        [["nodes_online", 8000]]
      )

      // Nothing listens on the port of discard.
      const failed = yield* collect("onionoo.torproject.org=http://127.0.0.1:9")
      assert.strictEqual(failed.code, 1)
      assert.match(failed.err, /^plumbline: the run failed: UpstreamUnreachable: GET https:\/\/onionoo/)
      assert.strictEqual(failed.out, "")
    }),
  120_000
)
