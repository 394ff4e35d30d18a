/**
 * One server of the comparison in a process of its own; prints its port. Argument: `plumbline`, or `fastify` or `bare`
 * with the port of the first, whose bytes they send, unsigned.
 */
import { createServer, get, type IncomingHttpHeaders } from "node:http"
import { Context, Effect, Layer } from "effect"
import fastify from "fastify"
import { networks } from "../../core/catalog/Catalog.ts"
import { Current, type LatestRow } from "../../core/data/read/Current.ts"
import { Http } from "../../http/server.ts"
import { migrate } from "../../runtime/database/migrate.ts"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { bareService } from "../support/bareService.ts"

/** The addresses that are asked for. */
const paths = ["/v1/supply", "/v1/market", "/v1/network/FIL"]

/** Six series of every network of the catalog. */
const rows: ReadonlyArray<LatestRow> = networks.flatMap(({ symbol }, at) =>
  [
    ...["nodes_online", "devices_total", "TOTAL_NODES"].map(
      (metric) => ["supply_telemetry", metric] as const
    ),
    ...["price_usd", "market_cap_usd", "fully_diluted_valuation_usd"].map(
      (metric) => ["market", metric] as const
    )
  ].map(([tier, metric], n) => ({
    series: at * 10 + n,
    symbol,
    metric,
    value: at * 1000.5 + n,
    value_text: null,
    unit: tier === "market" ? "usd" : "count",
    source: "made-up-feed",
    verify_url: `https://upstream.test/networks/${symbol}/${metric}`,
    as_of: new Date(),
    confirmed_at: new Date(),
    plugin: "made-up",
    tier,
    simulated: false
  }))
)

const service = bareService(Layer.effectDiscard(migrate).pipe(Layer.provideMerge(Pglite.layer({}))))

/** Prints the port and serves until it is killed. */
const plumbline = (): Promise<never> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const built = yield* Layer.build(service)
        yield* Context.get(built, Current).apply(rows)
        console.log(Context.get(built, Http).port)
        return yield* Effect.never
      })
    )
  )

interface Kept {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const fetchKept = (port: number, path: string): Promise<Kept> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: { "accept-encoding": "gzip" } }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
    }).on("error", reject)
  })

const plainHeaders = ({ body, headers }: Kept): Record<string, string> => ({
  "content-type": headers["content-type"] ?? "",
  "content-length": String(body.length),
  ...(headers["content-encoding"] === undefined ? {} : { "content-encoding": headers["content-encoding"] })
})

const peers = {
  fastify: (kept: ReadonlyMap<string, Kept>): Promise<number> => {
    const app = fastify()
    for (const [path, answer] of kept) {
      const headers = plainHeaders(answer)
      app.get(path, (_request, reply) => reply.headers(headers).send(answer.body))
    }
    return app.listen({ host: "127.0.0.1", port: 0 }).then((address) => Number(new URL(address).port))
  },
  bare: (kept: ReadonlyMap<string, Kept>): Promise<number> => {
    const ready = new Map(
      [...kept].map(([path, answer]) => [path, { headers: plainHeaders(answer), answer }])
    )
    const server = createServer((request, response) => {
      const found = ready.get(request.url ?? "")
      if (found === undefined) {
        response.writeHead(404).end()
        return
      }
      response.writeHead(200, found.headers)
      response.end(found.answer.body)
    })
    return new Promise((resolve) =>
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    )
  }
}

const [kind = "", port = ""] = process.argv.slice(2)
if (kind === "plumbline") await plumbline()
else if (kind === "fastify" || kind === "bare") {
  const kept = new Map<string, Kept>()
  for (const path of paths) kept.set(path, await fetchKept(Number(port), path))
  console.log(await peers[kind](kept))
}
