/** Endpoints anyone can read without a key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnomaliesResponse, Anomaly, AnomalyRule, findingMeaning } from "../../core/wire/data/anomalies.ts"
import { CoverageResponse } from "../../core/wire/data/coverage.ts"
import { DataDictionaryResponse, DictionaryMetric } from "../../core/wire/data/dataDictionary.ts"
import { dependenciesOf } from "../../core/wire/data/dependency.ts"
import { DifferenceResponse } from "../../core/wire/data/difference.ts"
import { mostNetworks } from "../../core/wire/data/history.ts"
import { TryResponse } from "../../core/wire/data/networks.ts"
import { RecheckResponse, RechecksResponse } from "../../core/wire/data/recheck.ts"
import { RevisionsResponse } from "../../core/wire/data/revisions.ts"
import { SymbolRow, SymbolsResponse } from "../../core/wire/data/symbols.ts"
import { WorldResponse } from "../../core/wire/data/world.ts"
import { CorrectionsResponse } from "../../core/wire/log/corrections.ts"
import { IncidentsResponse } from "../../core/wire/log/incidents.ts"
import { ScopeMissing, TierTooLow } from "../../core/wire/problems/accounts.ts"
import { NotFound, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { about } from "./about.ts"
import { always, NotFoundDependsOn, Sample, WaitsItsTurn } from "./Contract.ts"
import {
  alsoCsv,
  alsoCsvAndCut,
  alsoCsvByAccept,
  alsoCut,
  cursor,
  filters,
  format,
  optionalSymbol,
  rowOptions,
  symbol,
  text,
  wholeNumber
} from "./parameters.ts"
import { reads, readsRows, sampleQuery, someNetworks } from "./reads.ts"

const list = always(...dependenciesOf.list)

const series = { symbol: optionalSymbol, metric: text("a metric of /v1/data-dictionary") }

/** The networks that an answer about several may be of: a request that names more is refused. */
const namesOf = (network: string) => network.split(",").slice(0, mostNetworks)

export const Keyless = HttpApiGroup.make("keyless")
  .add(
    HttpApiEndpoint.get("try", "/try", { success: TryResponse }).annotateMerge(
      about({
        depends: list,
        summary: "Three networks to start with",
        description: "Each with an upstream URL to compare against."
      })
    ),
    HttpApiEndpoint.get("networks", "/v1/networks", reads.networks).annotateMerge(
      about({
        forms: alsoCsvAndCut,
        depends: list,
        summary: "The catalog",
        description: "What is measured for each network, and which networks are not covered and why.",
        wider: true,
        byTier: true
      })
    ),
    HttpApiEndpoint.get("symbols", "/v1/symbols", {
      query: {
        ...filters,
        ...rowOptions(SymbolRow),
        limit: wholeNumber(1, 2000, "maximum networks per page"),
        cursor
      },
      success: SymbolsResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        forms: alsoCut,
        depends: list,
        summary: "Every symbol",
        description:
          "The whole catalog with what is measured of each network, and no values. /v1/network/{symbol} has the values."
      })
    ),
    HttpApiEndpoint.get("coverage", "/v1/coverage", { success: CoverageResponse }).annotateMerge(
      about({
        depends: list,
        summary: "What is not covered",
        description:
          "Every network that no feed measures first hand, with the reason: the list that pages of other answers leave out."
      })
    ),
    HttpApiEndpoint.get("corrections", "/v1/corrections", { success: CorrectionsResponse }).annotateMerge(
      about({
        depends: always("clock", "incidents", "revisions"),
        summary: "Corrections",
        description:
          "Everything that was put right, withheld or reported, in one signed answer: the newest incidents, revisions and reports of readers."
      })
    ),
    HttpApiEndpoint.get("recheck", "/v1/recheck", {
      query: {
        symbol,
        metric: Schema.String.annotate({
          description: "a metric of /v1/data-dictionary",
          examples: ["active_storage_providers"]
        }),
        source: text("source label, if several feeds measure the metric; without it the service picks one")
      },
      success: RecheckResponse,
      error: [UnknownSymbol, NotFound]
    }).annotateMerge(
      about({
        summary: "Look again",
        description:
          "Has the upstream of a served value asked again, now, and compares. The first call answers `running`; repeat it after " +
          "`retry_after` seconds. The upstream of a network is asked at most once in ten minutes, and until then the last answer stays."
      })
    ),
    HttpApiEndpoint.get("rechecks", "/v1/rechecks", { success: RechecksResponse }).annotateMerge(
      about({
        depends: always("clock"),
        summary: "What held when it was looked at again",
        description:
          "Every day 200 series are drawn by lot and compared with their upstream again: how many agree, and the newest of them."
      })
    ),
    HttpApiEndpoint.get("network", "/v1/network/:symbol", reads.network)
      .annotate(NotFoundDependsOn, always())
      .annotateMerge(
        about({
          forms: alsoCsvAndCut,
          depends: ({ params: { symbol } }) => (symbol === undefined ? undefined : [{ symbol }, "log"]),
          summary: "One network",
          description:
            "The latest value of every metric measured for this network, whether or not it is in today's sample."
        })
      ),
    HttpApiEndpoint.get("supply", "/v1/supply", reads.supply)
      .annotate(NotFoundDependsOn, always())
      .annotateMerge(
        about({
          forms: alsoCsvAndCut,
          depends: ({ query }) =>
            query["network"] === undefined ? dependenciesOf.list : dependenciesOf.supply([query["network"]]),
          summary: "Telemetry",
          description:
            "First-party telemetry as a list of value rows. With `network`, an object keyed by metric that includes ages.",
          wider: true,
          byTier: true
        })
      ),
    HttpApiEndpoint.get("market", "/v1/market", reads.market).annotateMerge(
      about({
        forms: alsoCsvAndCut,
        depends: list,
        summary: "Market figures",
        description:
          "Price and market capitalisation; null if not measured. The `Link` header has the URL of the next page."
      })
    ),
    HttpApiEndpoint.get("revenue", "/v1/revenue", reads.revenue).annotateMerge(
      about({
        forms: alsoCsvAndCut,
        depends: list,
        summary: "Fees and value locked",
        description:
          "A 0 of the upstream is 0, `by_definition` where nobody counted it; null means not measured. The `Link` header has the URL of the next page."
      })
    ),
    HttpApiEndpoint.get("provenance", "/v1/provenance", reads.provenance).annotateMerge(
      about({
        forms: alsoCsvAndCut,
        depends: list,
        summary: "Where every series comes from",
        description: "Also lists networks without measurements and withheld series, each with the reason."
      })
    ),
    HttpApiEndpoint.get("history", "/v1/history", reads.history)
      .annotate(NotFoundDependsOn, always())
      .annotateMerge(
        about({
          summary: "Daily history",
          description:
            "Of one network, of several, or of one metric of all. One point per day: the last accepted reading. A day without a reading is absent, never interpolated. " +
            "`open: true` marks days that are not closed yet. History begins on 2026-08-06.",
          forms: alsoCsvAndCut,
          // What was known at a time depends on the readings that are still kept, and what of it is shown on the day.
          depends: ({ query: { as_known_at, symbols, network = symbols } }) =>
            network === undefined || network === "*"
              ? undefined
              : as_known_at !== undefined
                ? ["retention", "day"]
                : dependenciesOf.history(namesOf(network)),
          wider: true,
          byTier: true
        })
      ),
    HttpApiEndpoint.post("asof", "/v1/asof", reads.asof)
      .annotateMerge(readsRows)
      .annotateMerge(
        about({
          forms: alsoCsvByAccept,
          wider: true,
          summary: "Point-in-time join",
          description:
            "What was known of up to 10,000 rows, each a series with its own time of knowledge and time of the value: the answer of `as_known_at`, row by row, " +
            "without a look ahead. Rows as JSON or as CSV (`Content-Type`), the answer as JSON or as CSV (`Accept: text/csv`). Bodies of up to 2 MiB. 12 networks " +
            "are for everyone (of more, 12 in turn); all networks are for tiers that have them, or bought at /x402/v1/asof. Times from the " +
            "start of the readings that are kept."
        })
      ),
    HttpApiEndpoint.post("query", "/v1/query", reads.query)
      .annotate(Sample, sampleQuery)
      .annotate(WaitsItsTurn, true)
      .annotateMerge(
        about({
          forms: alsoCsv,
          wider: true,
          summary: "Many values in one answer",
          description:
            "Metrics of many networks: latest value, change over a window, growth with the proofs of both ends, rank. 12 networks by name, or the day's " +
            "sample of those that match, are for everyone; all networks and ranks are for tiers with cross-network views."
        })
      ),
    HttpApiEndpoint.get("difference", "/v1/diff", {
      query: {
        network: someNetworks,
        metric: text("a metric of /v1/data-dictionary; defaults to every metric of the networks"),
        from: Schema.String.annotate({
          description: "the earlier moment: an ISO 8601 date-time in UTC whose readings are retained"
        }),
        to: text("the later moment, in the same form; default now"),
        limit: wholeNumber(1, 500, "maximum days that a page looks at, default 100"),
        cursor
      },
      success: DifferenceResponse,
      error: [UnknownSymbol, ScopeMissing, TierTooLow]
    }).annotateMerge(
      about({
        summary: "What changed between two publications",
        description:
          "Every day whose value was added, revised or withdrawn between two moments, with the value before and after, the " +
          "reasons and the proof. Applied to what /v1/history gives with `as_known_at` of `from`, it gives that of `to`.",
        // What was known at a moment that is over changes no more; up to now, all that a history is made of counts.
        depends: ({ query: { network, to } }) =>
          network === undefined || network === "*"
            ? undefined
            : to === undefined
              ? [...dependenciesOf.history(namesOf(network)), "retention", "clock"]
              : ["retention", "day"],
        wider: true,
        byTier: true
      })
    ),
    HttpApiEndpoint.get("world", "/v1/world", { success: WorldResponse }).annotateMerge(
      about({
        depends: always(...dependenciesOf.world),
        summary: "The physical world",
        description: "Vessels, airspace, aircraft, satellites, GPS interference. No rate limit."
      })
    ),
    HttpApiEndpoint.get("dictionary", "/v1/data-dictionary", {
      query: {
        query: text(
          "words of a name, a meaning or a unit; returns the metrics that all of them describe, best match first"
        ),
        ...filters,
        ...rowOptions(DictionaryMetric),
        limit: wholeNumber(1, 10_000, "maximum metrics per page"),
        cursor
      },
      success: DataDictionaryResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        forms: alsoCut,
        depends: always(...dependenciesOf.dictionary),
        summary: "Data dictionary",
        description: "Every feed and metric with its freshness, history depth, coverage and state."
      })
    ),
    HttpApiEndpoint.get("revisions", "/v1/revisions", {
      query: {
        ...series,
        limit: wholeNumber(1, 500, "maximum revisions per page"),
        cursor: wholeNumber(1, 2_147_483_647, "`next_cursor` of the previous page"),
        format
      },
      success: RevisionsResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        forms: alsoCsv,
        depends: always(...dependenciesOf.revisions),
        summary: "Revisions",
        description: "Every published value that was later changed, with the previous value."
      })
    ),
    HttpApiEndpoint.get("incidents", "/v1/incidents", {
      query: {
        ...series,
        open: Schema.optionalKey(
          Schema.Literals(["true", "false"]).annotate({
            description: "`true`: only open incidents; `false`: only closed ones"
          })
        ),
        limit: wholeNumber(1, 500, "maximum incidents per page"),
        cursor: wholeNumber(1, 2_147_483_647, "`next_cursor` of the previous page")
      },
      success: IncidentsResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        depends: always(...dependenciesOf.incidents),
        summary: "Quality incidents",
        description:
          "Readings that are stored and flagged but not served, with the reason, and where each opening and closing is in the log."
      })
    ),
    HttpApiEndpoint.get("anomalies", "/v1/anomalies", {
      query: {
        day: text("one closed day, YYYY-MM-DD or YYYYMMDD; default the newest that is judged"),
        from: text("first closed day, at most 30 days before `to`; default `to`"),
        to: text("last closed day"),
        rule: Schema.optionalKey(AnomalyRule.annotate({ description: "only findings of this rule" })),
        ...filters,
        ...rowOptions(Anomaly),
        limit: wholeNumber(1, 500, "maximum findings per page, default 100"),
        cursor,
        format
      },
      success: AnomaliesResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        forms: alsoCsvAndCut,
        depends: always(...dependenciesOf.anomalies),
        summary: "Unusual values",
        description: `Values of closed days that a rule finds unusual, with the expected range and the reason. ${findingMeaning} /method has the formulas.`
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Keyless",
      description: "Reading is free and requires no key. Every response with data is signed."
    })
  )
