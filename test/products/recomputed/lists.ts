/** Products that hand over what the API lists: supply, catalog, fees, every value, and the bodies of a run. */
import { createHash } from "node:crypto"
import { assert } from "vitest"
import {
  isMeasured,
  isNumber,
  isReference,
  keyOf,
  type Network,
  type Row,
  same,
  sum,
  type World
} from "./world.ts"

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex")

export const provenance = (world: World): void => {
  const { supply } = world.bought<{ supply: ReadonlyArray<Row> }>("depin_provenance")
  const expected = world.symbols.flatMap((symbol) =>
    world.rows(symbol).filter((row) => world.tierOf(row) === "supply_telemetry")
  )
  assert.isAbove(expected.length, 100)
  assert.deepStrictEqual(supply.map(keyOf).sort(), expected.map(keyOf).sort())
  // What was paid for a month is older than a week by its nature.
  for (const { as_of, metric, source, symbol, unit, value, verify_url } of supply)
    assert.deepInclude(
      world.rows(symbol).find((of) => of.metric === metric && of.source === source),
      { as_of, unit, value, verify_url },
      `${symbol} ${metric}`
    )
}

interface Total {
  readonly usd: number | null
  readonly n_networks: number
}

const total = (reported: Total | undefined, values: ReadonlyArray<number | null>, where: string) => {
  const measured = values.filter(isNumber)
  assert.strictEqual(reported?.n_networks, measured.length, where)
  same(reported?.usd, measured.length === 0 ? null : sum(measured), where)
}

/** Baselines, which are listed and not counted. */
const referencesOf = ({ networks }: World) =>
  new Set(networks.filter(isReference).map(({ symbol }) => symbol))

export const catalog = async (world: World): Promise<void> => {
  const { coverage, market, networks } = world.bought<{
    coverage: Record<string, number>
    market: { rows: ReadonlyArray<Row>; totals: Record<string, Total> }
    networks: ReadonlyArray<Network>
  }>("depin_networks")
  for (const { live_series, symbol, telemetry_tier } of networks) {
    assert.strictEqual(live_series, world.live(symbol).length, symbol)
    const tiers = world.rows(symbol).map(world.tierOf)
    const expected = tiers.includes("supply_telemetry")
      ? "first_party"
      : tiers.length > 0
        ? "market_only"
        : "catalog_only"
    assert.strictEqual(telemetry_tier, expected, symbol)
  }
  for (const [tier, n] of Object.entries(coverage)) {
    assert.lengthOf(
      world.depin.filter(({ telemetry_tier }) => telemetry_tier === tier),
      n
    )
  }
  const listed = await world.client.get<ReadonlyArray<Row & Record<string, number | null>>>("/v1/market")
  assert.deepStrictEqual(market.rows, listed)
  const references = referencesOf(world)
  const counted = listed.filter(({ symbol }) => !references.has(symbol))
  for (const figure of ["market_cap_usd", "fully_diluted_valuation_usd"]) {
    total(
      market.totals[figure],
      counted.map((row) => row[figure] ?? null),
      figure
    )
  }
}

export const revenue = async (world: World): Promise<void> => {
  type Fees = Record<string, number | null> & { readonly symbol: string }
  type Listed = Fees & { readonly by_definition_reason?: string }
  const { networks, totals } = world.bought<{ networks: ReadonlyArray<Fees>; totals: Record<string, Total> }>(
    "depin_revenue_snapshot"
  )
  const listed = new Map(
    (await world.client.get<Array<Listed>>("/v1/revenue")).map((row) => [row.symbol, row])
  )
  const fields = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd"]
  for (const row of networks) {
    for (const field of fields) {
      const open = listed.get(row.symbol)
      const isDefined = open?.by_definition_reason?.includes(`${field}: 0 `) === true
      same(row[field], isDefined ? null : (open?.[field] ?? null), `${row.symbol} ${field}`)
      same(row[field], world.value(row.symbol, field), `${row.symbol} ${field}`)
    }
    same(row["staking_tvl_usd"], world.value(row.symbol, "staking_tvl_usd"), row.symbol)
  }
  const references = referencesOf(world)
  const counted = world.symbols.filter((symbol) => !references.has(symbol))
  for (const field of [...fields, "staking_tvl_usd"]) {
    total(
      totals[field],
      counted.map((symbol) => world.value(symbol, field)),
      field
    )
  }
}

interface Record_ extends Row {
  readonly build_date: string
  readonly confidence: number | null
  readonly feed: string
  readonly read_at: string
}

export const enrichment = (world: World): void => {
  const { generated_utc, records } = world.bought<{ records: ReadonlyArray<Record_> }>("depin_enrichment")
  assert.deepStrictEqual(
    records.map(keyOf),
    world.symbols.flatMap((symbol) => world.live(symbol).map(keyOf))
  )
  const grades = { A: 1, B: 0.9, C: 0.7, K: 0.8 }
  const hour = 3_600_000
  for (const record of records) {
    isMeasured(world, record.symbol, [record])
    assert.strictEqual(record.build_date, generated_utc.slice(0, 10))
    const age = world.at - Date.parse(record.as_of)
    const feed = world.feeds.get(record.feed)
    if (feed === undefined) {
      assert.isNull(record.confidence)
      continue
    }
    const fresh = age < 2 * hour ? 1 : age < 26 * hour ? 0.9 : 0.6
    const late = world.at - Date.parse(record.read_at) > 2000 * feed.cadence_seconds ? 0.8 : 1
    assert.closeTo(record.confidence ?? -1, grades[feed.grade] * fresh * late, 0.000501, keyOf(record))
  }
}

interface Body {
  readonly encoding: "utf-8" | "base64" | null
  readonly content: string | null
}

/** What the hashes are of: the bodies, the targets and the code, whose list the run's own page holds as well. */
export const derivation = async (world: World): Promise<void> => {
  const { exchanges, files, run, targets } = world.bought<{
    exchanges: ReadonlyArray<{ sha256: string; size: number; url: string; body: Body }>
    files: ReadonlyArray<{ path: string; sha256: string }> | null
    run: { id: string; code_hash: string; rows_sha256: string; settings: Record<string, string> }
    targets: { sha256: string; body: Body }
  }>("derivation_replay")
  const bytes = ({ content, encoding }: Body) =>
    Buffer.from(content ?? "", encoding === "base64" ? "base64" : "utf8")
  for (const { body, sha256: hash, size } of [...exchanges, { ...targets, size: undefined }]) {
    if (body.content === null) continue
    assert.strictEqual(sha256(bytes(body)), hash)
    if (size !== undefined) assert.strictEqual(bytes(body).length, size)
  }
  assert.isTrue(exchanges.some(({ body }) => body.content !== null))
  const lines = [
    ...(files ?? []).map((file) => `${file.sha256}  ${file.path}`),
    ...Object.entries(run.settings).map(([name, value]) => `${sha256(value)}  settings/${name}`)
  ].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.strictEqual(sha256(`${lines.join("\n")}\n`), run.code_hash)
  const listed = await world.client.get<{
    rows_sha256: string
    exchanges: ReadonlyArray<{ sha256: string }>
  }>(`/v1/derivation/${run.id}`)
  assert.strictEqual(listed.rows_sha256, run.rows_sha256)
  assert.deepStrictEqual(
    listed.exchanges.map(({ sha256: hash }) => hash),
    exchanges.map(({ sha256: hash }) => hash)
  )
}

interface Signal extends Partial<Row> {
  readonly n: number
  readonly hash: string
  readonly prev_hash: string
  readonly kind: string
  readonly as_of: string
  readonly before_value?: number
  readonly after_value?: number
  readonly bound?: number
}

/** The chain of the hashes, and each move of supply between two points of the history. */
export const signals = async (world: World): Promise<void> => {
  const { head, signals: rows } = world.bought<{
    head: { n: number; hash: string }
    signals: ReadonlyArray<Signal>
  }>("signal_ledger")
  assert.deepStrictEqual({ n: rows[0]?.n, hash: rows[0]?.hash }, head)
  for (const [place, { hash, ...rest }] of rows.entries()) {
    const members = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))
    assert.strictEqual(sha256(JSON.stringify(Object.fromEntries(members))), hash, `row ${rest.n}`)
    const before = rows[place + 1]
    if (before !== undefined) assert.deepStrictEqual([rest.prev_hash, rest.n], [before.hash, before.n + 1])
    else if (rest.n === 1) assert.strictEqual(rest.prev_hash, "0".repeat(64))
  }
  const day = 86_400_000
  const moves = rows.filter(({ kind }) => kind === "supply_move")
  assert.isNotEmpty(moves)
  for (const { after_value, as_of, before_value, bound, metric = "", source, symbol = "" } of moves) {
    const { data } = await world.client.get<{
      data: Record<string, Record<string, { points: ReadonlyArray<{ date: string; value: number }> }>>
    }>(`/v1/history?network=${symbol}&metric=${metric}&days=30&source=${source}`)
    const on = (ms: number) =>
      data[symbol]?.[metric]?.points.find(({ date }) => date === new Date(ms).toISOString().slice(0, 10))
        ?.value
    assert.strictEqual(after_value, on(Date.parse(as_of)), `${symbol} ${metric}`)
    assert.strictEqual(before_value, on(Date.parse(as_of) - day), `${symbol} ${metric}`)
    const change = Math.abs((after_value ?? 0) - (before_value ?? 0)) / Math.abs(before_value ?? 0)
    assert.isAtLeast(100 * change, bound ?? 5)
  }
  // The tape restates a day: the ledger tells of each value what /v1/revisions does.
  const { revisions } = await world.client.get<{ revisions: ReadonlyArray<Signal> }>("/v1/revisions")
  const changeOf = ({ after_value, before_value, metric, symbol }: Signal) => ({
    symbol,
    metric,
    before_value,
    after_value
  })
  assert.isNotEmpty(revisions)
  assert.sameDeepMembers(
    rows.filter(({ kind }) => kind === "revision").map(changeOf),
    revisions.map(changeOf)
  )
}
