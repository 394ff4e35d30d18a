/** What networks earn and pay out: each figure says how it comes about, in the compiler and at run time. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bySymbol } from "../../core/catalog/Catalog.ts"
import { readDeclaration } from "../../core/plugin/declaration.ts"
import { byRung, type Flow, flowOf, flowParts, flowsIn, isFlowName } from "../../core/plugin/flows.ts"
import { metricNamed, refusalOf, symbolsNamed } from "../../core/plugin/Manifest.ts"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { flow, metric } from "../../core/plugin/shapes/metric.ts"
import type { Observation } from "../../core/plugin/Value.ts"
import { plugins } from "../support/plugins.ts"

/** No adapter of theirs is among those that are public: readers are told that a difference is not explained. */
const unread = ["ALEPH", "GLM", "SC"]

const manifests = plugins.map(({ manifest }) => manifest)

const of: Flow = {
  rung: "stated",
  at: "paid of https://a.test",
  formula: "paid",
  without: "Nothing.",
  code: "a/b@0000000 c.ts"
}

const base = {
  id: "example",
  title: "Example",
  covers: { networks: ["EXN", "EXM"] },
  tier: "supply_telemetry",
  source: "example",
  hosts: ["a.test"],
  every: "1 hour",
  grade: "K",
  collect: () => Effect.succeed([])
} as const

const plain = { unit: "usd", min: 0, meaning: "Paid." } as const

describe("what a network earned or paid out", () => {
  it("does not compile without how it comes about, under another name, or as proved by the manifest", () => {
    // @ts-expect-error: it does not say how it comes about
    Plugin.define({ ...base, metrics: { earned_24h_usd: plain } })
    // @ts-expect-error: no such name
    Plugin.define({ ...base, metrics: { earned_yesterday_usd: flow("usd", "Paid.", of) } })
    // @ts-expect-error: no flow of money says how it comes about
    Plugin.define({ ...base, metrics: { nodes_online: { ...plain, flow: of } } })
    // @ts-expect-error: that a chain proved it is a fact of a run
    flow("usd", "Paid.", { ...of, rung: "chain_proved" })
    const { manifest } = Plugin.define({ ...base, metrics: { earned_24h_usd: flow("usd", "Paid.", of) } })
    assert.deepStrictEqual(flowOf(metricNamed(manifest.metrics, "earned_24h_usd")?.flow, "EXN"), of)
  })

  it("is refused of a network of which the manifest does not say how it comes about", () => {
    const { manifest } = Plugin.define({
      ...base,
      metrics: { earned_total: flow("tokens", "Paid.", { EXN: of }), n: metric("count", "Nodes.") }
    })
    const row = {
      metric: "earned_total",
      unit: "tokens",
      source: "example",
      verify_url: "https://a.test"
    } as const
    const symbols = new Set(["EXN", "EXM"])
    assert.isUndefined(refusalOf(manifest, symbols, { ...row, symbol: "EXN" }))
    assert.strictEqual(
      refusalOf(manifest, symbols, { ...row, symbol: "EXM" }),
      "the manifest does not say how this figure of the network comes about"
    )
  })

  it("has names that say which side, which days and which unit", () => {
    assert.deepStrictEqual(flowParts("paid_out_month_usd"), {
      family: "paid_out",
      span: "month",
      unit: "usd"
    })
    assert.deepStrictEqual(flowParts("earned_total"), { family: "earned", span: "total", unit: "tokens" })
    assert.isUndefined(flowParts("earnings_24h_usd"))
    assert.isUndefined(flowParts("earned_24h_eur"))
  })

  it("is read of a plugin that is data as of one that is code", () => {
    const declared = (metrics: object) =>
      readDeclaration(
        JSON.stringify({
          id: "acme",
          title: "Acme",
          covers: { networks: ["FIL"] },
          tier: "supply_telemetry",
          source: "outside_acme",
          hosts: ["acme.org"],
          every: "1 hour",
          grade: "B",
          owner: "acme",
          metrics
        })
      )
    assert.isObject(declared({ earned_total: { unit: "tokens", meaning: "Paid.", flow: of } }))
    assert.match(
      String(declared({ earned_total: { unit: "tokens", meaning: "Paid." } })),
      /how it comes about/
    )
    assert.match(
      String(declared({ earned_total: { unit: "usd", meaning: "Paid.", flow: of } })),
      /is not a name of/
    )
    assert.match(
      String(
        declared({
          earned_total: { unit: "tokens", meaning: "Paid.", flow: { ...of, rung: "chain_proved" } }
        })
      ),
      /chain_indexed/
    )
  })
})

describe("the figures of this project", () => {
  const declared = manifests.flatMap(({ covers, metrics, source, sources = [] }) =>
    Object.entries(metrics).flatMap(([name, { flow }]) =>
      flow === undefined
        ? []
        : symbolsNamed(covers).flatMap((symbol) => {
            const one = flowOf(flow, symbol)
            return one === undefined ? [] : [{ name, symbol, flow: one, sources: [source, ...sources] }]
          })
    )
  )

  it("say where their code stands, at a commit or an address", () => {
    for (const { metrics } of manifests)
      for (const [name, { flow, unit }] of Object.entries(metrics)) {
        assert.strictEqual(isFlowName(name), flow !== undefined, name)
        if (flow === undefined) continue
        assert.strictEqual(flowParts(name)?.unit, unit)
        for (const [, { code }] of flowsIn(flow))
          assert.match(code, /^(https:\/\/\S+|[\w.-]+\/[\w.-]+@[0-9a-f]{7,40} \S+)$/)
      }
  })

  it("say why an aggregator differs, of each network whose fees of a day it has as well", () => {
    const { expected } = JSON.parse(
      readFileSync(new URL("../../fixtures/defillama/ok.json", import.meta.url), "utf8")
    ) as { readonly expected: { readonly observations: ReadonlyArray<Observation> } }
    const listed = new Set(
      expected.observations.flatMap(({ metric, symbol }) => (metric === "fees_24h_usd" ? [symbol] : []))
    )
    const beside = declared.filter(
      ({ name, symbol }) => listed.has(symbol) && /^earned_(total|24h)(_usd)?$/.test(name)
    )
    assert.isNotEmpty(beside)
    assert.deepStrictEqual(
      [...new Set(beside.flatMap(({ flow, symbol }) => (flow.differs === undefined ? [symbol] : [])))],
      unread
    )
  })

  it("are served from the source on the highest rung, wherever one source stands for a metric", () => {
    const groups = Map.groupBy(declared, ({ name, symbol }) => `${symbol} ${name}`)
    const several = [...groups].filter(([, of]) => of.length > 1)
    assert.isNotEmpty(several)
    for (const [name, of] of several) {
      const [best] = of.toSorted((a, b) => byRung(a.flow.rung, b.flow.rung))
      const primary = bySymbol.get(best?.symbol ?? "")?.primary?.[best?.name ?? ""]
      assert.isTrue(
        best?.sources.some((source) => source === primary),
        name
      )
    }
  })
})
