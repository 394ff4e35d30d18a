/** Tools about the data as a whole: metrics, health and derivation. */
import { Effect, Schema } from "effect"
import { Log } from "../../core/log/Log.ts"
import { derivation, derivationOf } from "../../core/log/record/derivation.ts"
import { validValuesCap } from "../../core/process/errors.ts"
import { dataDictionary } from "../../core/readings/read/dataDictionary.ts"
import { healthData } from "../../core/readings/read/health.ts"
import { declaredMetric, wholeNumber } from "../../core/readings/read/parameters.ts"
import { rankMetrics } from "../../core/readings/read/search.ts"
import { namesOf } from "../../core/readings/read/selection.ts"
import { DataDictionaryResponse, DictionaryMetric } from "../../core/wire/data/dataDictionary.ts"
import { HealthData } from "../../core/wire/data/health.ts"
import { DerivationRun } from "../../core/wire/log/derivation.ts"
import { BadParameter } from "../../core/wire/problems/request.ts"
import { define, reads } from "../Tool.ts"
import { cursor, leftOut, limit, names, nextCursor, placeOf, slice, text } from "../truncate.ts"

export const getStats = define({
  name: "get_stats",
  title: "Service status",
  description:
    "How much is measured and how fresh: series, networks, feeds by state, newest read, entries in the public log.",
  annotations: reads,
  input: Schema.Struct({}),
  output: Schema.Struct({
    data: HealthData,
    log: Schema.Struct({ entries: Schema.Natural, root: Schema.String })
  }),
  depth: 1,
  run: Effect.fnUntraced(function* () {
    const { root, size } = yield* (yield* Log).served
    return { data: yield* healthData, log: { entries: size, root } }
  })
})

const dictionaryInput = Schema.Struct({
  metrics: names("names, with commas"),
  feed: text("id of a collector"),
  limit: limit(200, 15, "metrics"),
  cursor
})

export const getDataDictionary = define({
  name: "get_data_dictionary",
  title: "Data dictionary",
  description:
    "Metrics with unit, meaning, feed, source and coverage, by name or by feed; find_networks searches them in words. " +
    "With feed, also its state, freshness and history depth.",
  annotations: reads,
  // Programs that remember the tools of 2.0.0 send `query`: it is read until 3.0.0 and listed no more.
  input: Schema.Struct({ ...dictionaryInput.fields, query: text("words") }),
  shown: dictionaryInput,
  unlisted: ["query"],
  output: Schema.Struct({
    generated_utc: DataDictionaryResponse.fields.generated_utc,
    metrics: Schema.Array(DictionaryMetric),
    n_metrics: Schema.Natural,
    feeds: DataDictionaryResponse.fields.feeds,
    n_feeds: Schema.Natural,
    left_out: leftOut,
    next_cursor: nextCursor
  }),
  depth: 1,
  run: Effect.fnUntraced(function* (input) {
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 200, fallback: 15 })
    const { feeds, generated_utc, metrics } = yield* dataDictionary
    const ids = feeds.map(({ feed }) => feed)
    if (input.feed !== undefined && !ids.includes(input.feed)) {
      const message = `Unknown feed ${JSON.stringify(input.feed.slice(0, 64))}.`
      return yield* new BadParameter({ field: "feed", message, valid_values: ids.slice(0, validValuesCap) })
    }
    const ofFeed = metrics.filter(({ feed }) => input.feed === undefined || feed === input.feed)
    const only = yield* namesOf("metrics", input.metrics)
    for (const metric of only ?? []) {
      yield* declaredMetric(
        "metrics",
        metric,
        ofFeed.map(({ metric }) => metric)
      )
    }
    const named = only === undefined ? ofFeed : ofFeed.filter(({ metric }) => only.includes(metric))
    const matching = input.query === undefined ? named : yield* rankMetrics(input.query, named)
    const { items, next } = slice(matching, limit, yield* placeOf(input.cursor))
    return {
      generated_utc,
      metrics: items,
      n_metrics: matching.length,
      feeds: feeds.filter(({ feed }) => feed === input.feed),
      n_feeds: feeds.length,
      ...(input.feed === undefined ? { left_out: "Status of the feeds: pass feed to see one." } : {}),
      ...next
    }
  })
})

export const getDerivationLedger = define({
  name: "get_derivation_ledger",
  title: "Derivation ledger",
  description:
    "Collector runs, newest first: the upstream URLs read, SHA-256 of each body, code hash, rows produced. With run, " +
    "one run and its HTTP exchanges in pages.",
  annotations: reads,
  input: Schema.Struct({
    plugin: text("id of a collector (feed of get_data_dictionary)"),
    run: text("id of a run"),
    limit: limit(50, 3, "runs, or exchanges of the run (then default 10)"),
    cursor
  }),
  output: Schema.Struct({
    runs: Schema.Array(DerivationRun),
    left_out: leftOut,
    next_cursor: nextCursor
  }),
  // Its members alone: the list of all tools has a size.
  depth: 1,
  run: Effect.fnUntraced(function* ({ run, ...input }) {
    if (run === undefined) {
      const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 50, fallback: 3 })
      return yield* derivation({ ...input, limit })
    }
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 50, fallback: 10 })
    const ledgerRun = yield* derivationOf(run)
    const { items, next } = slice(ledgerRun.exchanges, limit, yield* placeOf(input.cursor))
    return { runs: [{ ...ledgerRun, exchanges: items }], ...next }
  })
})
