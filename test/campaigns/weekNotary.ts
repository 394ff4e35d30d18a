/** The notary of a week: a process of its own, with the address of its collector before it, where it can be made to lie. */
import { type ChildProcess, spawn } from "node:child_process"
import { createPrivateKey, sign } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"
import { parseVkey } from "../../core/proof/checkpoint.ts"
import { notarisationNote, readNotarisation } from "../../core/proof/notarisation.ts"
import { freePort } from "../support/freePort.ts"
import { authority } from "../support/notary/certificates.ts"
import { notaryFolder } from "../support/notary/world.ts"
import type { MovedTime } from "./movedTime.ts"

const program = new URL("weekNotary.run.ts", import.meta.url).pathname

/** A note as the notary signs one about another answer than the host gave. */
const falseNote = (folder: string, vkey: string, text: string): string => {
  const verifier = parseVkey(vkey)
  const signed = readNotarisation(text, [verifier])
  if (signed === undefined) throw new Error("the notary signed nothing")
  const key = createPrivateKey(readFileSync(join(folder, "key.pem")))
  const exchanges = signed.statement.exchanges.map((exchange) => ({
    ...exchange,
    response: { ...exchange.response, sha256: "0".repeat(64) }
  }))
  return notarisationNote({ ...signed.statement, exchanges }, verifier, (message) => sign(null, message, key))
}

/** What was sent to the front, sent on to the notary. */
const headOf = ({ method, rawHeaders, url }: IncomingMessage): string => {
  const lines = Array.from(
    { length: rawHeaders.length / 2 },
    (_, n) => `${rawHeaders[2 * n]}: ${rawHeaders[2 * n + 1]}`
  )
  return [`${method} ${url} HTTP/1.1`, ...lines, "", ""].join("\r\n")
}

/** The address that the collector knows. It carries sessions to the notary as they are, and its statements, unless it lies. */
const frontOf = (port: number, noteToSend: (note: string) => string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(async (request, response) => {
        try {
          const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, {
            method: request.method ?? "GET",
            headers: { "content-type": request.headers["content-type"] ?? "text/plain" },
            ...(request.method === "POST" ? { body: new Uint8Array(await buffer(request)) } : {})
          })
          const text = await answer.text()
          response.writeHead(answer.status, { "content-type": "text/plain" })
          response.end(answer.ok && request.method === "POST" ? noteToSend(text) : text)
        } catch {
          response.destroy()
        }
      })
      server.on("connect", (request, collector, first) => {
        const notary = connect(port, "127.0.0.1", () => {
          notary.write(headOf(request))
          notary.write(first)
          collector.pipe(notary).pipe(collector)
        })
        notary.on("error", () => collector.destroy())
        collector.on("error", () => notary.destroy())
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** A notary that carries to one host, for one collector. */
export const weekNotary = Effect.fnUntraced(function* (time: MovedTime, host: string) {
  const { folder, token, vkey } = yield* notaryFolder([host])
  const port = yield* Effect.promise(freePort)
  let lies = false
  const front = yield* frontOf(port, (note) => (lies ? falseNote(folder, vkey, note) : note))
  const notary = yield* Effect.acquireRelease(
    Effect.sync(() => {
      let child: ChildProcess | undefined
      return {
        start: async () => {
          const started = spawn(
            process.execPath,
            [program, folder, String(port), authority().at("root.pem")],
            { env: { ...process.env, ...time.on("notary") }, stdio: ["ignore", "pipe", "inherit"] }
          )
          child = started
          for await (const line of createInterface({ input: started.stdout }))
            if (line.includes("serves")) return
          throw new Error("the notary did not start")
        },
        stop: async () => {
          const ended = child && once(child, "close")
          child?.kill("SIGKILL")
          await ended
          child = undefined
        }
      }
    }),
    ({ stop }) => Effect.promise(stop)
  )
  yield* Effect.promise(notary.start)
  return {
    ...notary,
    vkey,
    lie: (yes: boolean) => {
      lies = yes
    },
    /** As in the setting `NOTARIES`. */
    setting: `${vkey} http://${token}@127.0.0.1:${front}`
  }
})
