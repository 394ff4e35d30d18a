/**
 * A service with made-up networks, as many as its argument says, beside those of the catalog; prints its port and serves
 * until it is killed. The networks are put into the catalog before anything reads it.
 */
import { registerHooks } from "node:module"

const count = Number(process.argv[2])
const file = "/core/catalog/networks/sensor.json"

const generated = Array.from({ length: count }, (_, n) => ({
  symbol: `MADE${n}`,
  name: `Network ${n}`,
  website: "https://net.example.net/",
  listed_by: "made up"
}))

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith(file)) return loaded
    const catalog = JSON.parse(String(loaded.source)) as ReadonlyArray<object>
    return { ...loaded, source: JSON.stringify([...catalog, ...generated]) }
  }
})

const { serve } = await import("./networks.service.ts")
await serve(generated.map(({ symbol }) => symbol))
