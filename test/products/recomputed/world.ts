/**
 * What a stranger reads of a service: every network's values, the dictionary, and each product as it was bought. The
 * programs beside this one recompute the products from it, and share nothing with the code that makes them.
 */
import { assert } from "vitest"

export interface Row {
  readonly symbol: string
  readonly metric: string
  readonly value: number
  readonly unit: string
  readonly source: string
  readonly verify_url: string
  readonly as_of: string
  readonly by_definition?: true
}

export interface Feed {
  readonly feed: string
  readonly tier: string
  readonly grade: "A" | "B" | "C" | "K"
  readonly cadence_seconds: number
}

interface Dictionary {
  readonly feeds: ReadonlyArray<Feed>
  readonly metrics: ReadonlyArray<{
    readonly metric: string
    readonly source: string
    readonly feed: string
  }>
}

export interface Network {
  readonly symbol: string
  readonly name: string
  readonly category: string
  readonly telemetry_tier: string
  readonly live_series: number
}

export const isReference = ({ category }: Pick<Network, "category">): boolean => category === "reference"

/** A client of one service. */
export interface Client {
  readonly get: <A>(path: string) => Promise<A>
  readonly post: <A>(path: string, body: unknown, key?: string) => Promise<{ status: number; body: A }>
}

export const clientOf = (base: string): Client => {
  const read = async <A>(path: string, init: RequestInit) => {
    const answer = await fetch(base + path, init)
    return { status: answer.status, body: (await answer.json()) as A }
  }
  return {
    get: async <A>(path: string) => {
      const { body, status } = await read<A>(path, {})
      assert.strictEqual(status, 200, path)
      return body
    },
    post: (path, body, key) =>
      read(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
        body: JSON.stringify(body)
      })
  }
}

/** Payloads by product key. */
export type Bought = <A>(key: string) => A & { readonly generated_utc: string }

export interface World {
  readonly client: Client
  readonly bought: Bought
  /** Keys of the products. */
  readonly sold: ReadonlyArray<string>
  readonly networks: ReadonlyArray<Network>
  /** Those that products compare, sum and rank: all but the baselines, which are of the category reference. */
  readonly depin: ReadonlyArray<Network>
  readonly feeds: ReadonlyMap<string, Feed>
  readonly tierOf: (row: Row) => string | undefined
  /** Every row of a symbol. */
  readonly rows: (symbol: string) => ReadonlyArray<Row>
  /** Those younger than 7 days at the time of the snapshot. */
  readonly live: (symbol: string) => ReadonlyArray<Row>
  /** The one that answers for a metric: of several the one that the keyed supply names, else the newest. */
  readonly of: (symbol: string, metric: string) => Row | undefined
  readonly value: (symbol: string, metric: string) => number | null
  /** Epoch milliseconds of the snapshot. */
  readonly at: number
  /** Symbols with any row, sorted by UTF-16 code units. */
  readonly symbols: ReadonlyArray<string>
}

const inLine = async <A, B>(items: ReadonlyArray<A>, f: (item: A) => Promise<B>): Promise<Array<B>> => {
  const results: Array<B> = []
  let next = 0
  const worker = async () => {
    for (let n = next++; n < items.length; n = next++) results[n] = await f(items[n] as A)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return results
}

const version = async ({ get }: Client) => {
  const { data } = await get<{ data: { snapshot_version: number } }>("/health")
  return data.snapshot_version
}

/** Buys every product and reads every network until both are of one state of the data. */
export const readWorld = async (client: Client, key: string): Promise<World> => {
  for (let turn = 0; turn < 10; turn++) {
    const before = await version(client)
    const world = await read(client, key)
    if ((await version(client)) === before) return world
  }
  return assert.fail("the data never stood still for as long as they are read")
}

const read = async (client: Client, key: string): Promise<World> => {
  const { sections } = await client.get<{ sections: Record<string, { status: string }> }>(
    "/v1/credits/pricing"
  )
  const sold = Object.keys(sections).filter((name) => sections[name]?.status === "available")
  const payloads = new Map<string, { readonly generated_utc: string }>()
  for (const name of sold) {
    const { body, status } = await client.post<{ data: { generated_utc: string } }>(
      "/v1/credits/purchase",
      { product_key: name },
      key
    )
    assert.strictEqual(status, 200, `${name}: ${JSON.stringify(body).slice(0, 300)}`)
    payloads.set(name, body.data)
  }
  const bought: Bought = <A>(name: string) =>
    (payloads.get(name) ?? assert.fail(`${name} is not sold`)) as A & { readonly generated_utc: string }
  const { networks } = bought<{ networks: ReadonlyArray<Network> }>("depin_networks")
  const dictionary = await client.get<Dictionary>("/v1/data-dictionary")
  const feeds = new Map(dictionary.feeds.map((feed) => [feed.feed, feed]))
  const declared = new Map(dictionary.metrics.map((of) => [`${of.metric}|${of.source}`, of]))
  // A feed may label some rows with a source of their own: the record of a value says which feed that is.
  const { records } = bought<{ records: ReadonlyArray<Row & { feed: string }> }>("depin_enrichment")
  const recordFeeds = new Map(records.map((record) => [keyOf(record), record.feed]))
  const symbols = [...new Set([...networks, ...records].map(({ symbol }) => symbol))].sort()
  const lists = await inLine(symbols, (symbol) => client.get<Array<Row>>(`/v1/network/${symbol}`))
  const bySymbol = new Map(symbols.map((symbol, n) => [symbol, lists[n] ?? []]))
  const supply = new Map<string, string>()
  await inLine(
    symbols.filter((symbol) => repeats(bySymbol.get(symbol) ?? [])),
    async (symbol) => {
      const keyed = await client.get<{ supply: Record<string, { source: string }> }>(
        `/v1/supply?network=${symbol}`
      )
      for (const [metric, { source }] of Object.entries(keyed.supply))
        supply.set(`${symbol}|${metric}`, source)
    }
  )
  const at = Date.parse(bought("node_quality_score").generated_utc)
  const rows = (symbol: string) => bySymbol.get(symbol) ?? []
  const live = (symbol: string) =>
    rows(symbol).filter(
      ({ as_of, by_definition }) => at - Date.parse(as_of) < 7 * 86_400_000 && by_definition !== true
    )
  const of = (symbol: string, metric: string) => {
    const candidates = live(symbol).filter((row) => row.metric === metric)
    const named = supply.get(`${symbol}|${metric}`)
    return (
      candidates.find(({ source }) => source === named) ??
      candidates.sort(
        (a, b) => Date.parse(b.as_of) - Date.parse(a.as_of) || (a.source < b.source ? -1 : 1)
      )[0]
    )
  }
  const declaredOf = ({ metric, source }: Row) => declared.get(`${metric}|${source}`)
  return {
    client,
    bought,
    sold,
    networks,
    depin: networks.filter((network) => !isReference(network)),
    feeds,
    tierOf: (row) => feeds.get(recordFeeds.get(keyOf(row)) ?? declaredOf(row)?.feed ?? "")?.tier,
    rows,
    live,
    of,
    value: (symbol, metric) => of(symbol, metric)?.value ?? null,
    at,
    symbols: symbols.filter((symbol) => rows(symbol).length > 0)
  }
}

export const keyOf = ({ metric, source, symbol }: Row): string => `${symbol}|${metric}|${source}`

const repeats = (rows: ReadonlyArray<Row>): boolean =>
  new Set(rows.map(({ metric }) => metric)).size < rows.length

/** The same number but for floating point; null only where null is. */
export const same = (actual: number | null | undefined, expected: number | null, where: string): void => {
  if (expected === null || actual === null || actual === undefined) {
    assert.strictEqual(actual, expected, where)
    return
  }
  const scale = Math.max(1e-300, Math.abs(expected))
  assert.isAtMost(Math.abs(actual - expected) / scale, 1e-9, `${where}: ${actual} is not ${expected}`)
}

/** Every measured value that a payload names is the one that the network's own list has, with its provenance. */
export const isMeasured = (
  world: World,
  symbol: string,
  inputs: ReadonlyArray<Omit<Row, "symbol">>
): void => {
  for (const { as_of, metric, source, unit, value, verify_url } of inputs) {
    const row = world.live(symbol).find((of) => of.metric === metric && of.source === source)
    assert.deepInclude(row, { as_of, unit, value, verify_url }, `${symbol} ${metric}`)
  }
}

export const ratio = (a: number | null, b: number | null): number | null =>
  a === null || b === null || b === 0 ? null : a / b
export const sum = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0)
export const average = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : sum(values) / values.length
export const isNumber = (value: number | null): value is number => value !== null
