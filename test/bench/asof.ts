/**
 * A point-in-time join of 10,000 rows within 30 days over HTTP, of the demo, and what others wait meanwhile. `npm run bench -- asof`;
 * alone: `npx node test/bench/asof.ts`.
 */
import { mostRows } from "../../core/wire/data/asof.ts"
import { getJson, startDemo } from "./http.demo.ts"
import { askOnce, commonOf, type Network } from "./mixed.ts"
import { median, type Row, within } from "./row.ts"
import { runLoad } from "./runLoad.ts"

const symbol = "FIL"
const length = 86_400_000

interface Values {
  readonly supply: Readonly<Record<string, { readonly as_of: string }>>
}

/** The metrics of the network in turn, at times of their own over 29 days, each as known at that time. */
const rowsOf = (metrics: ReadonlyArray<string>, now: number) =>
  Array.from({ length: mostRows }, (_, n) => {
    const at = new Date(now - Math.floor((n * 29 * length) / mostRows)).toISOString()
    return { symbol, metric: metrics[n % metrics.length] ?? "", as_known_at: at, at }
  })

/** Milliseconds until the whole answer is there. */
const joined = async (port: number, body: string): Promise<number> => {
  const start = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/v1/asof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body
  })
  const { n_absent, n_rows } = (await response.json()) as { n_absent: number; n_rows: number }
  // The first days of the demo's record may lack some series.
  if (n_rows !== mostRows || n_absent > mostRows / 2)
    throw new Error(`${n_absent} of ${n_rows} rows are absent`)
  return performance.now() - start
}

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const { port, stop } = await startDemo()
  try {
    const { supply } = (await getJson(port, `/v1/supply?network=${symbol}`)) as Values
    const metrics = Object.keys(supply)
    const now = Math.max(...Object.values(supply).map(({ as_of }) => Date.parse(as_of)))
    const body = JSON.stringify({ rows: rowsOf(metrics, now) })
    await joined(port, body)
    const alone: Array<number> = []
    for (let n = 0; n < 5; n++) alone.push(await joined(port, body))
    const networks: ReadonlyArray<Network> = [{ symbol, metrics }]
    const targets = ["/v1/world", "/v1/supply", "/v1/market", "/v1/networks", ...commonOf(networks)]
    await askOnce(port, targets)
    const others = () => runLoad({ port, connections: 8, millis: 8000, targets, coding: "gzip" })
    const calm = await others()
    let over = false
    const joins = (async () => {
      const took: Array<number> = []
      while (!over) took.push(await joined(port, body))
      return took
    })()
    const meanwhile = await others()
    over = true
    const busy = await joins
    return [
      within(`${mostRows} rows of ${metrics.length} series within 30 days`, "ms", median(alone), [
        "<=",
        1000
      ]),
      within(`the same while others ask (${busy.length} joins)`, "ms", median(busy), ["<=", 3000]),
      within(`p99 of others meanwhile (without joins ${calm.p99} ms)`, "ms", meanwhile.p99, [
        "<=",
        Math.max(20, 2 * calm.p99)
      ]),
      within("errors of others meanwhile", "answers", meanwhile.errors, ["<=", 0])
    ]
  } finally {
    stop()
  }
}

if (import.meta.main) console.table(await run())
