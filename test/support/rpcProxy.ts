/** A node between us and the chain that can lose what it is asked or what it answers. */
import { createServer } from "node:http"
import { Effect } from "effect"
import type { Hex } from "viem"

export interface RpcProxy {
  readonly url: string
  /** Methods whose answer is lost: the chain has done what was asked. */
  readonly loseAnswers: Set<string>
  /** Methods that never reach the chain. */
  readonly loseQuestions: Set<string>
  /** How often each method was asked. */
  readonly callCounts: Map<string, number>
  /** Transactions that were broadcast, raw. */
  readonly broadcast: Array<Hex>
}

/** `watch` is called with each method before it reaches the chain. */
export const rpcProxy = Effect.fnUntraced(function* (
  target: string,
  watch: (method: string) => void = () => {}
) {
  const loseAnswers = new Set<string>()
  const loseQuestions = new Set<string>()
  const callCounts = new Map<string, number>()
  const broadcast: Array<Hex> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8")
      const { method, params } = JSON.parse(body) as { method: string; params?: ReadonlyArray<Hex> }
      if (method === "eth_sendRawTransaction" && params?.[0] !== undefined) broadcast.push(params[0])
      callCounts.set(method, (callCounts.get(method) ?? 0) + 1)
      watch(method)
      if (loseQuestions.has(method)) {
        response.destroy()
        return
      }
      fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })
        .then((answer) => answer.text())
        .then((text) => {
          if (loseAnswers.has(method)) return response.destroy()
          return response.writeHead(200, { "content-type": "application/json" }).end(text)
        })
        .catch(() => response.destroy())
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    loseAnswers,
    loseQuestions,
    callCounts,
    broadcast
  } satisfies RpcProxy
})
