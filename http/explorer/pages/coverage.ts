/** What each count of coverage means, with its value now: the one place that other pages lead to. */
import { Effect } from "effect"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { coverageOf } from "../../../core/readings/read/coverage.ts"
import { healthData } from "../../../core/readings/read/health.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { seriesADay } from "../../../core/readings/recheck/drawDue.ts"
import type { RechecksResponse } from "../../../core/wire/data/recheck.ts"
import { lotLately } from "../../assurances.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { lotSentence } from "../html/assuranceWords.ts"
import { formatNumber } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"

interface Count {
  readonly id: string
  readonly name: string
  readonly n: number
  readonly means: Html | string
}

const table = (title: string, id: string, counts: ReadonlyArray<Count>): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<table class="counts"><thead><tr><th scope="col">Count</th><th scope="col" class="n">Now</th><th scope="col">What it counts</th></tr></thead>
<tbody>${counts.map((one) => html`<tr id="${one.id}"><th scope="row">${one.name}</th><td class="n">${formatNumber(one.n)}</td><td>${one.means}</td></tr>`)}</tbody></table></section>`

const lookedAgain = (outcomes: RechecksResponse["agreement"]): Html =>
  html`<section aria-labelledby="again"><h2 id="again">Looked at again</h2>
<p>${lotSentence(outcomes !== null, formatNumber(seriesADay))} ${
    outcomes === null
      ? "Where one is drawn, its source is asked once more, out of turn."
      : html`Their sources are asked once more, out of turn. Of ${formatNumber(outcomes.n_series)} in the last 7 days, ${
          outcomes.agreement_pct === null
            ? "none got an answer"
            : html`<strong>${formatNumber(outcomes.agreement_pct)} %</strong> of those with an answer agreed within 1 %`
        }: ${formatNumber(outcomes.n_exact)} exactly, ${formatNumber(outcomes.n_within_1_pct)} within 1 %, ${formatNumber(outcomes.n_within_10_pct)} within 10 %, ${formatNumber(outcomes.n_moved)} by more; ${formatNumber(outcomes.n_gone)} had no such figure any more, ${formatNumber(outcomes.n_unreachable)} got no answer. A figure that moves every minute differs without being wrong.`
  } <a href="/v1/rechecks">Each of them</a>.</p></section>`

/** Every host that a collector may reach. */
const hostsOf = Effect.map(Feeds, ({ manifests }) => new Set(manifests.flatMap(({ hosts }) => hosts)).size)

export const coverage = Effect.gen(function* () {
  const { symbols: rows } = yield* symbols()
  const counts = coverageOf(rows)
  const { feeds, networks: withValue, series } = yield* healthData
  const delivering = feeds.waiting + feeds.running
  const silent = feeds.failing + feeds.open + feeds.refusing
  const off = feeds.needs_key + feeds.disabled + feeds.unstarted
  return yield* respondPage({
    title: "What the counts mean",
    description:
      "Each count of coverage with its definition and its value now: networks measured, subnets, reference chains, series, feeds and hosts.",
    path: "/coverage",
    script: "page",
    body: html`<h1>What the counts mean</h1>
<p class="lede">Every entry of the catalog is a network, a subnet or a reference chain. A value counts while it is younger than 7 days and no 0 by definition.</p>
${table("Networks", "networks", [
  {
    id: "own",
    name: "Own telemetry",
    n: counts.ownTelemetry,
    means:
      "Infrastructure networks that are measured themselves: nodes, devices, capacity, use. Neither subnets nor reference chains are among them. These are the “networks measured” of the list of networks."
  },
  {
    id: "market",
    name: "Market only",
    n: counts.marketOnly,
    means: "Infrastructure networks of which only prices, fees, holders or developer activity are measured."
  },
  {
    id: "listed",
    name: "Listed",
    n: counts.listed,
    means: "Infrastructure networks in the catalog without any value. Their pages say why."
  },
  {
    id: "all-networks",
    name: "Networks",
    n: counts.networks,
    means: "The three above together."
  },
  {
    id: "subnets",
    name: "Subnets",
    n: counts.subnets,
    means: html`Subnets of Bittensor, SN0 to SN128, each an entry of its own. ${formatNumber(counts.subnetsMeasured)} of them are measured.`
  },
  {
    id: "reference",
    name: "Reference chains",
    n: counts.reference,
    means: html`General chains, oracles and exchanges, there to compare with and left out of products and of the brief. ${formatNumber(counts.referenceMeasured)} of them are measured.`
  },
  {
    id: "catalog",
    name: "Catalog",
    n: counts.catalog,
    means: html`Networks, subnets and reference chains: what <a href="/v1/symbols">/v1/symbols</a> lists.`
  },
  {
    id: "telemetry",
    name: "First-party telemetry",
    n: counts.measured,
    means: html`Networks with own telemetry, measured subnets and measured reference chains: <code>n_networks_available</code> of <a href="/v1/supply">/v1/supply</a>, whose <code>n_networks</code> also counts those whose newest value is older than 7 days.`
  }
])}
${table("Values", "values", [
  {
    id: "series",
    name: "Live series",
    n: counts.series,
    means:
      "A symbol, a metric and a source with a value of the last 7 days, of the catalog. What a network measures from two sources is two series."
  },
  {
    id: "all-series",
    name: "Series with a value",
    n: series,
    means: html`All series with a latest value, however old, the physical world and withdrawn ones included: <code>series</code> of <a href="/health">/health</a>. They are of ${formatNumber(withValue)} symbols.`
  }
])}
<p>The values sealed in a day are the values of that day alone, with those that came late and those that were revised; a ${term("leaf")} that says what was absent is no value. A product counts the networks that it can say something about: <a href="/products">its page</a> says which it misses.</p>
${lookedAgain(yield* orProblem(lotLately))}
${table("Collectors", "collectors", [
  {
    id: "feeds",
    name: "Feeds that deliver",
    n: delivering,
    means: html`Collectors whose last run brought what it should, or that wait for their first. <a href="/status">Each with its state</a>.`
  },
  { id: "silent", name: "Deliver nothing", n: silent, means: "Failing, paused after failures, or rejected." },
  { id: "off", name: "Off", n: off, means: "Switched off, without the key they need, or not started." },
  {
    id: "running",
    name: "Running feeds",
    n: delivering + silent,
    means: "Those that deliver and those that should: what warnings and the status page count."
  },
  { id: "all-feeds", name: "Collectors", n: delivering + silent + off, means: "All plugins." },
  {
    id: "hosts",
    name: "Hosts",
    n: yield* hostsOf,
    means:
      "Different hosts that the collectors may reach, those of switched off ones included. A start of the service checks only those of running ones."
  }
])}`
  })
})
