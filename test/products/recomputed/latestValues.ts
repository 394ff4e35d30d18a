/** Products that are figures of the latest values: of one network, or of all networks of a category. */
import { assert } from "vitest"
import { average, isMeasured, isNumber, type Row, ratio, same, sum, type World } from "./world.ts"

type Input = Omit<Row, "symbol">

const only = <A extends { readonly symbol: string }>(
  rows: ReadonlyArray<A>,
  expected: ReadonlyArray<string>
) => {
  assert.deepStrictEqual(
    rows.map(({ symbol }) => symbol),
    [...expected].sort()
  )
  assert.isNotEmpty(rows)
}
const symbolsOf = (world: World) => world.depin.map(({ symbol }) => symbol)

const pairs: ReadonlyArray<readonly [string, string]> = [
  ["TOTAL_NODES", "nodes_online"],
  ["nodes_registered", "nodes_online"],
  ["devices_total", "nodes_online"],
  ["nodes_online", "nodes_up"],
  ["relays_total", "relays_online"],
  ["TOTAL_NODES", "nodes_at_tip"],
  ["TOTAL_NODES", "nodes_described"],
  ["SUBNET_NEURONS", "SUBNET_ACTIVE_NEURONS"]
]

const nodesOf = ({ value }: World, symbol: string) => {
  const has = (metric: string) => value(symbol, metric) !== null
  const pair =
    pairs.find(([raw, active]) => has(raw) && has(active)) ??
    pairs.find(([raw, active]) => has(raw) || has(active))
  if (pair === undefined) return undefined
  const [raw, active] = [value(symbol, pair[0]), value(symbol, pair[1])]
  const share = ratio(active, raw)
  return { pair, raw, active, share: share !== null && (share < 0 || share > 1) ? null : share }
}

export const nodeQuality = (world: World): void => {
  const { methodology, networks } = world.bought<{
    methodology: { rules: ReadonlyArray<string> }
    networks: ReadonlyArray<
      Readonly<
        Record<"raw_nodes" | "active_nodes" | "active_ratio" | "quality_adjusted_nodes", number | null>
      > & {
        symbol: string
        raw_metric: string
        active_metric: string
        missing_fields: ReadonlyArray<string>
        inputs: ReadonlyArray<Input>
      }
    >
  }>("node_quality_score")
  // The pairs above are those that the payload publishes.
  assert.include(methodology.rules[0], pairs.map((pair) => `(${pair.join(", ")})`).join(", "))
  only(
    networks,
    symbolsOf(world).filter((symbol) => nodesOf(world, symbol) !== undefined)
  )
  for (const row of networks) {
    const nodeCounts = nodesOf(world, row.symbol)
    assert.deepStrictEqual([row.raw_metric, row.active_metric], [...(nodeCounts?.pair ?? [])], row.symbol)
    same(row.raw_nodes, nodeCounts?.raw ?? null, row.symbol)
    same(row.active_nodes, nodeCounts?.active ?? null, row.symbol)
    same(row.active_ratio, nodeCounts?.share ?? null, row.symbol)
    const adjusted = nodeCounts?.share == null ? null : nodeCounts.active
    same(row.quality_adjusted_nodes, adjusted, row.symbol)
    assert.deepStrictEqual(
      row.missing_fields,
      (nodeCounts?.pair ?? []).filter((metric) => world.value(row.symbol, metric) === null)
    )
    isMeasured(world, row.symbol, row.inputs)
  }
}

export const dilution = (world: World): void => {
  const { class_bounds, class_counts, networks } = world.bought<{
    class_bounds: Record<string, number>
    class_counts: Record<string, number>
    networks: ReadonlyArray<{
      symbol: string
      fdv_to_market_cap: number | null
      dilution_class: string | null
    }>
  }>("dilution_risk_map")
  const [fdv, cap] = ["fully_diluted_valuation_usd", "market_cap_usd"]
  only(
    networks,
    symbolsOf(world).filter((symbol) => [fdv, cap].some((metric) => world.value(symbol, metric) !== null))
  )
  const classes = Object.entries(class_bounds).sort(([, a], [, b]) => b - a)
  for (const { dilution_class, fdv_to_market_cap, symbol } of networks) {
    const expected = ratio(world.value(symbol, fdv), world.value(symbol, cap))
    same(fdv_to_market_cap, expected, symbol)
    const named = expected === null ? undefined : classes.find(([, least]) => expected >= least)
    assert.strictEqual(dilution_class, named?.[0] ?? null, symbol)
  }
  for (const [name, n] of Object.entries(class_counts)) {
    assert.lengthOf(
      networks.filter(({ dilution_class }) => dilution_class === name),
      n
    )
  }
}

export const development = (world: World): void => {
  const { dormant_after_days, n_active, n_dormant, networks } = world.bought<{
    dormant_after_days: number
    n_active: number
    n_dormant: number
    networks: ReadonlyArray<{ symbol: string; status: string | null } & Record<string, unknown>>
  }>("dev_velocity")
  const figures = {
    stars: "dev_stars",
    forks: "dev_forks",
    open_issues: "dev_open_issues",
    days_since_push: "dev_days_since_push",
    repositories: "dev_repositories",
    watchers: "dev_watchers"
  }
  const fields = [...Object.values(figures), "dev_archived"]
  only(
    networks,
    symbolsOf(world).filter((symbol) => fields.some((metric) => world.value(symbol, metric) !== null))
  )
  for (const row of networks) {
    for (const [figure, metric] of Object.entries(figures)) {
      assert.strictEqual(row[figure], world.value(row.symbol, metric), `${row.symbol} ${figure}`)
    }
    const days = world.value(row.symbol, "dev_days_since_push")
    const archived = world.value(row.symbol, "dev_archived") === 1
    const status = days === null ? null : days < dormant_after_days && !archived ? "active" : "dormant"
    assert.strictEqual(row.status, status, row.symbol)
  }
  assert.strictEqual(n_active, networks.filter(({ status }) => status === "active").length)
  assert.strictEqual(n_dormant, networks.filter(({ status }) => status === "dormant").length)
}

interface Gpus {
  readonly symbol: string
  readonly offered: number | null
  readonly in_use: number | null
  readonly available: number | null
  readonly utilisation: number | null
}

export const gpus = (world: World): void => {
  const { devices, networks } = world.bought<{
    devices: ReadonlyArray<Gpus & { device: string; price_usd_per_hour: number | null }>
    networks: ReadonlyArray<Gpus & { leased: number | null }>
  }>("gpu_supply_demand")
  const apart = (row: Gpus, names: readonly [string, string], free: number | null) => {
    const [offered, used] = names.map((metric) => world.value(row.symbol, metric))
    same(row.offered, offered ?? null, row.symbol)
    same(row.in_use, used ?? null, row.symbol)
    const left = free ?? (offered == null || used == null ? null : offered - used)
    const share = ratio(used ?? null, offered ?? null)
    const impossible = (left ?? 0) < 0 || (share ?? 0) > 1
    same(row.available, impossible ? null : left, row.symbol)
    same(row.utilisation, impossible ? null : share, row.symbol)
  }
  only(
    networks,
    symbolsOf(world).filter((symbol) =>
      ["registered_gpu_count", "gpu_in_use", "gpu_available"].some(
        (metric) => world.value(symbol, metric) !== null
      )
    )
  )
  for (const row of networks) {
    apart(row, ["registered_gpu_count", "gpu_in_use"], world.value(row.symbol, "gpu_available"))
    same(row.leased, world.value(row.symbol, "leased_gpu_count"), row.symbol)
  }
  const models = symbolsOf(world).flatMap((symbol) =>
    world.live(symbol).flatMap(({ metric }) => {
      const device = /^gpu_(?:allocatable|allocated|price)_(.+)$/.exec(metric)?.[1]
      return device === undefined ? [] : [`${symbol} ${device}`]
    })
  )
  assert.deepStrictEqual(
    devices.map(({ device, symbol }) => `${symbol} ${device}`).sort(),
    [...new Set(models)].sort()
  )
  assert.isNotEmpty(devices)
  for (const row of devices) {
    apart(row, [`gpu_allocatable_${row.device}`, `gpu_allocated_${row.device}`], null)
    same(row.price_usd_per_hour, world.value(row.symbol, `gpu_price_${row.device}`), row.symbol)
  }
}

const herfindahl = (parts: ReadonlyArray<number>): number | null => {
  const whole = sum(parts)
  return whole === 0 ? null : sum(parts.map((part) => ((100 * part) / whole) ** 2))
}

export const geography = (world: World): void => {
  const { networks, n_unmeasured } = world.bought<{
    n_unmeasured: number
    networks: ReadonlyArray<{
      symbol: string
      n_countries: number
      hhi: number | null
      effective_countries: number | null
      top_country: string | null
      top_share: number | null
      n_without_country: number | null
      countries: ReadonlyArray<{ country: string; nodes: number; node_share: number | null; input: Input }>
    }>
  }>("geo_concentration")
  const prefix = "nodes_country_"
  const placed = (symbol: string) => {
    const all = world.live(symbol).filter(({ metric }) => metric.startsWith(prefix))
    const newest = Math.max(...all.map(({ as_of }) => Date.parse(as_of)))
    return all.filter(({ as_of }) => Date.parse(as_of) === newest)
  }
  only(
    networks,
    symbolsOf(world).filter((symbol) => placed(symbol).length > 0)
  )
  assert.strictEqual(n_unmeasured, world.depin.length - networks.length)
  for (const row of networks) {
    const countryRows = placed(row.symbol).filter(({ metric }) => metric !== `${prefix}other`)
    const counts = new Map(countryRows.map(({ metric, value }) => [metric.slice(prefix.length), value]))
    const whole = sum([...counts.values()])
    assert.sameMembers(
      row.countries.map(({ country }) => country),
      [...counts.keys()]
    )
    for (const { country, input, node_share, nodes } of row.countries) {
      same(nodes, counts.get(country) ?? null, row.symbol)
      same(node_share, ratio(nodes, whole), row.symbol)
      isMeasured(world, row.symbol, [input])
    }
    const hhi = herfindahl([...counts.values()])
    same(row.hhi, hhi, row.symbol)
    same(row.effective_countries, ratio(10_000, hhi), row.symbol)
    const most = Math.max(...counts.values())
    same(row.top_share, ratio(most, whole), row.symbol)
    if (row.top_country !== null) same(counts.get(row.top_country), most, row.symbol)
    assert.strictEqual(row.n_countries, [...counts.values()].filter((count) => count > 0).length)
    const other = placed(row.symbol).find(({ metric }) => metric === `${prefix}other`)
    same(row.n_without_country, other?.value ?? null, row.symbol)
  }
}

const membersOf = ({ depin }: World, category: string) =>
  depin.filter((network) => network.category === category).map(({ symbol }) => symbol)

export const landscape = (world: World): void => {
  const { categories } = world.bought<{
    categories: ReadonlyArray<{
      category: string
      n_networks: number
      market_cap_usd: number | null
      hhi: number | null
      effective_networks: number | null
      concentration: string | null
      networks: ReadonlyArray<{ symbol: string; market_cap_usd: number; market_share: number | null }>
    }>
  }>("competitive_landscape")
  const named = categories.map(({ category }) => category)
  assert.includeMembers(named, [...new Set(world.depin.map(({ category }) => category))])
  assert.notInclude(named, "reference")
  for (const row of categories) {
    const members = membersOf(world, row.category)
    const caps = new Map(
      members.flatMap((symbol) => {
        const cap = world.value(symbol, "market_cap_usd")
        return cap === null || cap < 0 ? [] : [[symbol, cap] as const]
      })
    )
    assert.strictEqual(row.n_networks, members.length)
    assert.sameMembers(
      row.networks.map(({ symbol }) => symbol),
      [...caps.keys()]
    )
    const whole = sum([...caps.values()])
    same(row.market_cap_usd, caps.size === 0 ? null : whole, row.category)
    for (const { market_cap_usd, market_share, symbol } of row.networks) {
      same(market_cap_usd, caps.get(symbol) ?? null, symbol)
      same(market_share, ratio(market_cap_usd, whole), symbol)
    }
    const hhi = herfindahl([...caps.values()])
    same(row.hhi, hhi, row.category)
    same(row.effective_networks, ratio(10_000, hhi), row.category)
    const level = hhi === null ? null : hhi >= 1800 ? "high" : hhi >= 1000 ? "moderate" : "low"
    assert.strictEqual(row.concentration, level)
  }
}

export const sectors = (world: World): void => {
  const { categories } = world.bought<{
    categories: ReadonlyArray<{
      category: string
      health_index: number | null
      components: ReadonlyArray<{ name: string; weight: number; value: number | null; n: number }>
      missing_fields: ReadonlyArray<string>
    }>
  }>("sector_health_index")
  for (const { category, components, health_index, missing_fields } of categories) {
    const members = membersOf(world, category)
    const share = (flags: ReadonlyArray<boolean>) => ({ value: average(flags.map(Number)), n: flags.length })
    const measured = (metric: string) => members.map((symbol) => world.value(symbol, metric)).filter(isNumber)
    const expected: Record<string, { value: number | null; n: number }> = {
      telemetry_coverage: share(
        members.map((symbol) => world.live(symbol).some((row) => world.tierOf(row) === "supply_telemetry"))
      ),
      freshness: share(
        members.flatMap((symbol) =>
          world.live(symbol).map(({ as_of }) => world.at - Date.parse(as_of) < 26 * 3_600_000)
        )
      ),
      development: share(measured("dev_days_since_push").map((days) => days < 90)),
      market_breadth: share(measured("price_change_30d_pct").map((change) => change > 0))
    }
    assert.sameMembers(
      components.map(({ name }) => name),
      Object.keys(expected)
    )
    for (const { n, name, value } of components) {
      same(value, expected[name]?.value ?? null, `${category} ${name}`)
      assert.strictEqual(n, expected[name]?.n, `${category} ${name}`)
    }
    const absent = components.filter(({ name }) => expected[name]?.value == null)
    assert.sameMembers(
      [...missing_fields],
      absent.map(({ name }) => name)
    )
    const index = sum(components.map(({ name, weight }) => weight * (expected[name]?.value ?? 0)))
    same(health_index, absent.length > 0 ? null : 100 * index, category)
  }
}

export const profile = (world: World): void => {
  const payload = world.bought<
    Record<string, number | null> & {
      symbol: string
      inputs: ReadonlyArray<Input>
      evidence_json: string
      missing_fields: ReadonlyArray<string>
    }
  >("depin_health_profile")
  const { symbol } = payload
  assert.strictEqual(symbol, "FIL")
  const live = world.live(symbol)
  const nodes = nodesOf(world, symbol)
  const expected = {
    fresh_share: average(live.map(({ as_of }) => Number(world.at - Date.parse(as_of) < 26 * 3_600_000))),
    active_ratio: nodes?.share ?? null,
    fdv_to_market_cap: ratio(
      world.value(symbol, "fully_diluted_valuation_usd"),
      world.value(symbol, "market_cap_usd")
    ),
    price_change_30d_pct: world.value(symbol, "price_change_30d_pct"),
    fees_30d_usd: world.value(symbol, "fees_30d_usd"),
    tvl_usd: world.value(symbol, "tvl_usd"),
    holders_count: world.value(symbol, "holders_count"),
    days_since_push: world.value(symbol, "dev_days_since_push")
  }
  for (const [name, value] of Object.entries(expected)) same(payload[name], value, name)
  const { days_since_push, fdv_to_market_cap, fresh_share } = expected
  const score =
    fresh_share === null || fdv_to_market_cap === null || days_since_push === null
      ? null
      : 40 * fresh_share +
        30 * Math.min(1, 1 / fdv_to_market_cap) +
        30 * Math.max(0, 1 - days_since_push / 90)
  same(payload["health_score"], score, "health_score")
  assert.sameMembers(
    [...payload.missing_fields],
    Object.entries(expected).flatMap(([name, value]) => (value === null ? [name] : []))
  )
  same(payload["live_series"], live.length, "live_series")
  same(
    payload["telemetry_series"],
    live.filter((row) => world.tierOf(row) === "supply_telemetry").length,
    "telemetry_series"
  )
  isMeasured(world, symbol, payload.inputs)
  assert.deepStrictEqual(JSON.parse(payload.evidence_json), payload.inputs)
}
