/**
 * Clients of 127.x addresses in a process of their own, for `attacks.ts`: each connection sends one request after the other.
 * Reads `Clients` as JSON from its input and prints the milliseconds of the answers by request.
 */
import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

export interface Ask {
  readonly method?: "POST"
  /** `{n}` becomes a number that no other request has. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Clients {
  readonly port: number
  readonly addresses: ReadonlyArray<string>
  readonly connectionsEach: number
  readonly millis: number
  /** Between two requests of a connection, in milliseconds. */
  readonly pause: number
  /** In turn, by each connection from another one on. */
  readonly asks: ReadonlyArray<Ask>
}

/** The milliseconds of each answer by the place of its request in `asks`, and how many had which status. */
export interface Answered {
  readonly millis: ReadonlyArray<ReadonlyArray<number>>
  readonly statuses: Readonly<Record<string, number>>
}

const run = async ({ addresses, asks, connectionsEach, millis, pause, port }: Clients): Promise<Answered> => {
  const times = asks.map((): Array<number> => [])
  const statuses: Record<string, number> = {}
  const until = performance.now() + millis
  let number = Date.now()
  const numbered = (part: string, n: number) => part.replaceAll("{n}", String(n))
  const once = (agent: Agent, { body, headers, method, path }: Ask) =>
    new Promise<string>((resolve) => {
      const n = number++
      const outgoing = request(
        {
          port,
          host: "127.0.0.1",
          agent,
          method: method ?? "GET",
          path: numbered(path, n),
          headers: { ...headers }
        },
        (response) => {
          response.on("end", () => resolve(String(response.statusCode)))
          response.on("error", () => resolve("broken"))
          response.resume()
        }
      )
      outgoing.on("error", () => resolve("broken"))
      outgoing.setTimeout(30_000, () => outgoing.destroy())
      outgoing.end(body === undefined ? undefined : numbered(body, n))
    })
  const client = async (localAddress: string, first: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
    for (let turn = first; performance.now() < until; turn++) {
      const place = turn % asks.length
      const ask = asks[place]
      if (ask === undefined) break
      const began = performance.now()
      const status = await once(agent, ask)
      times[place]?.push(performance.now() - began)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (pause > 0 || status === "broken") await sleep(Math.max(pause, 1))
    }
    agent.destroy()
  }
  const clients = addresses.flatMap((address) => Array.from({ length: connectionsEach }, () => address))
  // Each begins elsewhere, so that no two ask for the same.
  const apart = Math.max(1, Math.floor(asks.length / clients.length))
  await Promise.all(clients.map((address, index) => client(address, index * apart)))
  return { millis: times, statuses }
}

if (import.meta.main) {
  const clients = JSON.parse(await text(process.stdin)) as Clients
  process.stdout.write(JSON.stringify(await run(clients)), () => process.exit())
}
