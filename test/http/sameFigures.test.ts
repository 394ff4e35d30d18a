/**
 * Figures that stand in several places are the same in each. This table is the list of them: a figure that is served,
 * shown or counted in one more place gets a line here. What MCP gives is compared with REST in `test/mcp/agreement`, and
 * what a product delivers with the public figures in `test/products/recomputed`.
 */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Metric } from "effect"
import { products } from "../../core/products/builds.ts"
import { productDefinitions } from "../../core/products/index.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import * as Sampled from "../../runtime/metrics/sampled.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { waitingFeed } from "../support/feedState.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

// biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
type Answer = any

const metric = "active_storage_providers"
const states = new Map([
  ["made-up", waitingFeed("made-up")],
  ["broken", { ...waitingFeed("broken"), state: "failing" as const, last_error: "it is away" }],
  ["refused", { ...waitingFeed("refused"), state: "refusing" as const }]
])

const service = Service.layer({
  products,
  manifests: [...states.keys()].map((id) => ({ ...manifest, id })),
  states: Effect.succeed(states)
})
const settings = Settings.layer.pipe(
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { BASE_URL: "https://plumbline.test" } })))
)

/** What a reader sees of a page. */
const wordsOf = (page: string): string =>
  page
    .replace(/<(script|style)\b.*?<\/\1>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")

/** The first number that stands where the words have `#`. */
const numberIn = (text: string, words: string): number => {
  const escaped = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace("#", "([\\d,]+)")
  const [, digits] =
    new RegExp(escaped).exec(text) ?? assert.fail(`"${words}" is not in: ${text.slice(0, 3000)}`)
  return Number(digits?.replaceAll(",", ""))
}

const sum = (all: ReadonlyArray<Answer>, member: string): number =>
  all.reduce((total: number, one) => total + one[member], 0)

layer(
  service.pipe(
    Layer.provideMerge(settings),
    Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
  )
)("a figure", (it) => {
  it.effect("is the same wherever it stands", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const incidents = yield* Incidents
      const before = Date.parse("2026-08-20T00:00:00Z")
      for (const n of [0, 1]) {
        const range = { symbol: "FIL", metric, source: "made-up", from: before + n, to: before + n }
        const id = yield* incidents.open(range, `reason ${n}`)
        if (n === 0) yield* incidents.close(id, "it was right")
      }
      const { call } = yield* Service
      const get = Effect.fnUntraced(function* (path: string) {
        const reply = yield* call(path)
        assert.strictEqual(reply.status, 200, path)
        return json(reply) as Answer
      })
      const page = Effect.fnUntraced(function* (path: string) {
        const reply = yield* call({ path, headers: { accept: "text/html" } })
        assert.strictEqual(reply.status, 200, path)
        return wordsOf(reply.body.toString("utf8"))
      })
      yield* Sampled.fromMemory
      const scrape = (yield* call("/metrics")).body.toString("utf8")
      const gauge = (name: string): number => {
        const samples = [...scrape.matchAll(new RegExp(`^plumbline_${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))]
        return samples.reduce((total, [, value]) => total + Number(value), 0)
      }
      const health = (yield* get("/health")).data
      const dictionary = yield* get("/v1/data-dictionary")
      const symbols = yield* get("/v1/symbols")
      const network = yield* get("/v1/network/FIL")
      const supply = yield* get("/v1/supply")
      const warnings = JSON.stringify((yield* get("/readyz")).warnings)
      const history = (yield* get(`/v1/history?network=FIL&metric=${metric}`)).data.FIL[metric]
      const [newestBatch] = (yield* get("/v1/attestations")).attestations
      const attested = yield* get(`/v1/attest?symbol=FIL&metric=${metric}&date=2026-09-03`)
      const checkpoint = (yield* call("/v1/log/checkpoint")).body.toString("utf8")
      const leaves = (yield* call("/v1/log/batches/2026-09-03/leaves")).body.toString("utf8")
      const csv = (yield* call(`/network/FIL/${metric}/data.csv`)).body.toString("utf8").trim().split("\n")
      const pricing = yield* get("/v1/credits/pricing")
      const openIncidents = (yield* get("/v1/incidents?open=true")).incidents
      const allIncidents = (yield* get("/v1/incidents")).incidents
      const [home, networkPage, metricPage, log, logDay, status, shop, coverage] = yield* Effect.forEach(
        [
          "/networks",
          "/network/FIL",
          `/network/FIL/${metric}`,
          "/log",
          "/log/2026-09-03",
          "/status",
          "/products",
          "/coverage"
        ],
        page
      )
      if (
        home === undefined ||
        networkPage === undefined ||
        metricPage === undefined ||
        log === undefined ||
        logDay === undefined ||
        status === undefined ||
        shop === undefined ||
        coverage === undefined
      )
        return assert.fail("a page is missing")

      const prices = yield* Effect.forEach(
        productDefinitions,
        Effect.fnUntraced(function* ({ key, sale }) {
          const title = yield* page(`/products/${key}`)
          return [
            `price of ${key}`,
            {
              definition: Number(sale.price),
              pricing: pricing.sections[key].price_usd,
              page: Number(/, \$([\d.]+)/.exec(title)?.[1]),
              shop: Number(new RegExp(`${key} .*?\\$([\\d.]+)`).exec(shop)?.[1])
            }
          ] as const
        })
      )
      const figures: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        "series with a value": {
          health: health.series,
          metrics: gauge("series"),
          symbols: sum(symbols.symbols, "live_series"),
          home: numberIn(home, "Live series #"),
          coverage: numberIn(coverage, "Live series #"),
          counted: numberIn(coverage, "Series with a value #")
        },
        "networks with a value": {
          health: health.networks,
          symbols: symbols.symbols.filter((one: Answer) => one.live_series > 0).length,
          supply: supply.n_networks,
          home: numberIn(home, "Networks measured #"),
          title: numberIn(home, "Measured values of #"),
          list: numberIn(home, "own telemetry #"),
          coverage: numberIn(coverage, "Own telemetry #"),
          telemetry: numberIn(coverage, "First-party telemetry #")
        },
        "networks of the catalog": {
          symbols: symbols.symbols.length,
          home: numberIn(home, "of # in the catalog"),
          list: numberIn(home, " All #"),
          coverage: numberIn(coverage, "Catalog #")
        },
        "newest read": {
          health: health.newest_read,
          dictionary: dictionary.feeds.find(({ feed }: Answer) => feed === "made-up").newest_read,
          metrics: new Date(Date.UTC(2026, 8, 4, 8) - gauge("reading_age_seconds") * 1000)
            .toISOString()
            .replace(".000Z", "Z")
        },
        "feeds that give nothing": {
          health: health.feeds.failing + health.feeds.open + health.feeds.refusing,
          metrics: gauge("feed_failing"),
          dictionary: dictionary.feeds.filter(({ state }: Answer) => /failing|open|refusing/.test(state))
            .length,
          status: numberIn(status, "Deliver nothing #"),
          coverage: numberIn(coverage, "Deliver nothing #")
        },
        "running feeds": {
          readyz: numberIn(warnings, "of # running feeds"),
          status: numberIn(status, "of # running feeds"),
          coverage: numberIn(coverage, "Running feeds #")
        },
        "newest value": {
          network: network[0].value,
          supply: supply.supply[0].value,
          history: history.points.at(-1).value,
          csv: Number(csv.at(-1)?.split(",")[csv[0]?.split(",").indexOf("value") ?? -1]),
          networkPage: numberIn(networkPage, "Providers with power. #"),
          metricPage: numberIn(metricPage, "Latest value #")
        },
        "change in 30 days": {
          rounded: history.change.relative.toFixed(1),
          history: history.change_pct.toFixed(1),
          home: /\+([\d.]+) %/.exec(home)?.[1],
          networkPage: /\+([\d.]+) %/.exec(networkPage)?.[1],
          metricPage: /\+([\d.]+) % from \d+ Aug/.exec(metricPage)?.[1]
        },
        "value of a closed day": {
          history: history.points.find(({ date }: Answer) => date === "2026-09-03").value,
          attest: attested.value.value,
          leaf: JSON.parse(attested.leaf).value,
          metricPage: numberIn(metricPage, "Newest proved value #")
        },
        "index of a leaf": {
          attest: attested.batch.index,
          metricPage: numberIn(metricPage, "leaf # of"),
          file: leaves.split("\n").indexOf(attested.leaf)
        },
        "index of an entry": {
          attest: attested.log.index,
          attestations: newestBatch.log_index,
          metricPage: numberIn(metricPage, "entry # of"),
          logDay: numberIn(logDay, "entry # of")
        },
        "entries of the log": {
          checkpoint: Number(checkpoint.split("\n")[1]),
          attest: attested.log.tree_size,
          metrics: gauge("log_entries"),
          log: numberIn(log, "Entries #"),
          logDay: numberIn(logDay, `entry ${attested.log.index} of #`)
        },
        "leaves of a day": {
          attestations: newestBatch.tree_size,
          attest: attested.batch.tree_size,
          logDay: numberIn(logDay, "Leaves #"),
          file: leaves.trim().split("\n").length
        },
        "values sealed in a day": {
          attestations: newestBatch.n_readings + newestBatch.n_late + newestBatch.n_revisions,
          home: numberIn(home, "# values sealed"),
          file: leaves
            .trim()
            .split("\n")
            .filter((leaf) => JSON.parse(leaf).kind !== "absent").length
        },
        "open incidents": {
          incidents: openIncidents.length,
          log: numberIn(log, "Incidents # open"),
          status: numberIn(status, "Open incidents #")
        },
        incidents: { incidents: allIncidents.length, log: numberIn(log, "# in all") },
        ...Object.fromEntries(prices)
      }
      const different = Object.entries(figures).filter(
        ([, places]) => new Set(Object.values(places)).size !== 1 || Object.values(places).includes(undefined)
      )
      assert.deepStrictEqual(different, [])
    })
  )
})
