/**
 * A peer of the comparison in a process of its own: `fastify <file>` or `bare <file>`, with the answers to send as JSON.
 * Prints its port and serves until it is killed.
 */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import fastify from "fastify"
import type { RecordedResponse } from "../bench/http.peers.ts"

type Answers = ReadonlyMap<string, RecordedResponse>

const pairs = (headers: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : [])))

const peers = {
  fastify: async (answers: Answers): Promise<number> => {
    const app = fastify()
    const ready = new Map(
      [...answers].map(([path, { body, headers, status }]) => [
        path,
        { body, headers: pairs(headers), status }
      ])
    )
    for (const path of new Set([...answers.keys()].map((path) => path.split("?")[0] ?? ""))) {
      app.get(path, (request, reply) => {
        const answer = ready.get(request.url)
        if (answer === undefined) return reply.callNotFound()
        return reply.code(answer.status).headers(answer.headers).send(answer.body)
      })
    }
    const address = await app.listen({ host: "127.0.0.1", port: 0 })
    return Number(new URL(address).port)
  },
  bare: (answers: Answers): Promise<number> => {
    const server = createServer((request, response) => {
      const answer = answers.get(request.url ?? "")
      if (answer === undefined) {
        response.writeHead(404).end()
        return
      }
      response.writeHead(answer.status, [...answer.headers])
      response.end(answer.body)
    })
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    )
  }
}

const [kind = "", file = ""] = process.argv.slice(2)
if (kind === "fastify" || kind === "bare") {
  const read = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<
    Omit<RecordedResponse, "body"> & { body: string }
  >
  const answers = read.map((one): RecordedResponse => ({ ...one, body: Buffer.from(one.body, "base64") }))
  console.log(await peers[kind](new Map(answers.map((one) => [one.path, one]))))
}
