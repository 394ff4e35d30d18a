/** `depin_ai_intel` and `depin_intel_bundle`: each statement follows from its rule and from values that the API lists. */
import { assert } from "vitest"
import { isMeasured, isNumber, type Row, ratio, same, sum, type World } from "./world.ts"

type Kind = "thesis" | "moat" | "risk"
interface Statement {
  readonly aspect?: string
  readonly text: string
  readonly cites: ReadonlyArray<Pick<Row, "metric" | "value" | "as_of" | "verify_url">>
}
interface Analysis extends Readonly<Record<Kind, ReadonlyArray<Statement>>> {
  readonly symbol: string
  readonly conviction: string | null
  readonly evidence_share: number
  readonly market_share: number | null
  readonly balance: number | null
  readonly missing_fields: ReadonlyArray<string>
  readonly missing_aspects: ReadonlyArray<string>
  readonly inputs: ReadonlyArray<Omit<Row, "symbol">>
}

const [fdv, cap, push] = ["fully_diluted_valuation_usd", "market_cap_usd", "dev_days_since_push"]

/** The seven rules of one metric or two: what they read, and which kind of statement they make of it. */
const rules: ReadonlyArray<readonly [ReadonlyArray<string>, (a: number, b: number) => Kind | undefined]> = [
  [[push], (days) => (days <= 14 ? "thesis" : days >= 90 ? "risk" : undefined)],
  [["fees_30d_usd"], (fees) => (fees > 0 ? "thesis" : "risk")],
  [
    ["fees_7d_usd", "fees_30d_usd"],
    (week, month) => {
      const pace = ratio(week / 7, month / 30)
      return pace === null || month <= 0 ? undefined : pace > 1.2 ? "thesis" : pace < 0.8 ? "risk" : undefined
    }
  ],
  [[fdv, cap], (a, b) => (b <= 0 ? undefined : a / b >= 2 ? "risk" : a / b <= 1.1 ? "moat" : undefined)],
  [["holders_count"], (holders) => (holders >= 10_000 ? "moat" : undefined)],
  [["price_change_30d_pct"], (change) => (change <= -25 ? "risk" : change >= 25 ? "thesis" : undefined)],
  [["volume_24h_usd", cap], (volume, b) => (b > 0 && volume / b < 0.001 ? "risk" : undefined)]
]

/** Metrics of the rules that count for the balance, and these rules. */
const weighed = [fdv, cap, "price_change_30d_pct", "volume_24h_usd"]
const ruled = new Set(
  rules.flatMap(([fields]) => (fields.every((metric) => weighed.includes(metric)) ? [fields.join()] : []))
)

const written = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 })

const kinds = ["thesis", "moat", "risk"] as const
const aspects = ["growth", "utilisation", "concentration", "revenue", "development", "trading"]

/** Every figure of such a statement is a cited value, a day, or computed from the cited values. */
const numbersAreCited = ({ cites, text }: Statement, symbol: string): void => {
  const values = cites.map(({ value }) => value)
  const total = sum(values)
  const herfindahl = sum(values.map((value) => (100 * (value / total)) ** 2))
  const pairs = values.flatMap((a) => values.flatMap((b) => [(100 * a) / b, (100 * (a - b)) / Math.abs(b)]))
  const figures = [
    ...values,
    total,
    values.length,
    ...values.map((value) => (100 * value) / total),
    herfindahl,
    ...pairs
  ]
  const citedNumbers = new Set([...figures, 24].map((figure) => written.format(figure)))
  const bare = text
    .replace(/\d{4}-\d\d-\d\d/g, "")
    .replace(/over \d+ closed days/, "")
    .replaceAll(/\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b/g, "")
  for (const number of bare.match(/-?\d[\d,]*(\.\d+)?/g) ?? []) {
    assert.isTrue(citedNumbers.has(number), `${symbol}: ${number} in ${text}`)
  }
}

export const analyses = (world: World): void => {
  const { networks } = world.bought<{ networks: ReadonlyArray<Analysis> }>("depin_ai_intel")
  const quality = new Map(
    world
      .bought<{
        networks: ReadonlyArray<{
          symbol: string
          raw_metric: string
          active_metric: string
          active_ratio: number | null
        }>
      }>("node_quality_score")
      .networks.map((row) => [row.symbol, row])
  )
  const category = new Map(world.depin.map((network) => [network.symbol, network.category]))
  const expectedOf = (symbol: string) => {
    const statements: Array<readonly [Kind, string]> = []
    const missing = new Set<string>()
    let applicable = 0
    for (const [fields, kindOf] of rules) {
      const values = fields.map((metric) => world.value(symbol, metric))
      for (const [n, metric] of fields.entries()) if (values[n] === null) missing.add(metric)
      if (!values.every(isNumber)) continue
      applicable++
      const kind = kindOf(values[0] ?? 0, values[1] ?? 0)
      if (kind !== undefined) statements.push([kind, fields.join()])
    }
    const nodes = quality.get(symbol)
    const active = nodes?.active_ratio ?? null
    if (nodes !== undefined && active !== null && (active >= 0.8 || active < 0.5)) {
      statements.push([active >= 0.8 ? "thesis" : "risk", `${nodes.raw_metric},${nodes.active_metric}`])
    }
    const rivals = world.depin.filter((of) => of.category === category.get(symbol))
    const market = sum(rivals.map((of) => world.value(of.symbol, cap)).filter(isNumber))
    const share = market > 0 ? ratio(world.value(symbol, cap), market) : null
    if (share !== null && share >= 0.2) statements.push(["moat", cap])
    return { statements, missing, evidence: applicable / rules.length, share, active }
  }
  const listed = new Set(networks.map(({ symbol }) => symbol))
  for (const { symbol } of world.depin) {
    if (expectedOf(symbol).statements.length > 0) assert.isTrue(listed.has(symbol), symbol)
  }
  // Nothing that is said of one network is said of another: each statement names its own figures.
  const texts = networks.flatMap((row) =>
    kinds.flatMap((kind) => row[kind].flatMap(({ aspect, text }) => (aspect === undefined ? [] : [text])))
  )
  assert.isAbove(new Set(texts).size / texts.length, 0.9)
  assert.isAbove(
    networks.filter(({ thesis }) => thesis.length > 0).length / networks.length,
    0.8,
    "networks with a thesis"
  )
  // A score that is withheld from most networks judges none of them by the others.
  assert.isAbove(networks.filter(({ conviction }) => conviction !== null).length, networks.length / 2)
  for (const row of networks) {
    const { symbol } = row
    const { active, evidence, missing, statements, share } = expectedOf(symbol)
    const rowAspects = kinds.flatMap((kind) => row[kind].flatMap(({ aspect }) => aspect ?? []))
    assert.sameMembers([...rowAspects, ...row.missing_aspects], aspects, symbol)
    for (const kind of kinds) {
      for (const statement of row[kind])
        if (statement.aspect !== undefined) numbersAreCited(statement, symbol)
      const ofRules = row[kind].filter(({ aspect }) => aspect === undefined)
      assert.deepStrictEqual(
        ofRules.map(({ cites }) => cites.map(({ metric }) => metric).join()),
        statements.flatMap(([of, fields]) => (of === kind ? [fields] : [])),
        `${symbol} ${kind}`
      )
      for (const { cites, text } of ofRules) {
        for (const { as_of, metric, value, verify_url } of cites) {
          assert.deepInclude(world.of(symbol, metric), { as_of, value, verify_url }, `${symbol} ${metric}`)
        }
        // A number in words is a cited value, a quotient of cited values, or the length of a window.
        const [first = 0, second = 0] = cites.map(({ value }) => value)
        const figures = [first, second, first / second, 100 * (active ?? 0), 100 * (share ?? 0), 7, 30]
        for (const number of text.match(/-?\d[\d,]*(\.\d+)?/g) ?? []) {
          assert.include(
            figures.map((figure) => written.format(figure)),
            number,
            `${symbol}: ${text}`
          )
        }
      }
    }
    assert.sameMembers([...row.missing_fields], [...missing])
    same(row.evidence_share, evidence, symbol)
    same(row.market_share, share, symbol)
    const counted = statements.filter(([, fields]) => ruled.has(fields))
    const balance = weighed.some((metric) => missing.has(metric))
      ? null
      : sum(counted.map(([kind]) => (kind === "risk" ? -1 : 1)))
    same(row.balance, balance, symbol)
    const level = balance === null ? null : balance >= 2 ? "high" : balance < 0 ? "low" : "medium"
    assert.strictEqual(row.conviction, level, symbol)
    isMeasured(world, symbol, row.inputs)
  }
}

/** The bundle's parts are the products as they are sold alone, and whom these credit it credits for all. */
export const bundle = (world: World): void => {
  const {
    methodology: _,
    generated_utc: __,
    rights,
    ...parts
  } = world.bought<Record<string, unknown>>("depin_intel_bundle")
  const alone: Readonly<Record<string, string>> = {
    node_quality: "node_quality_score",
    dilution_risk: "dilution_risk_map",
    gpu_supply_demand: "gpu_supply_demand",
    sector_health: "sector_health_index",
    geo_concentration: "geo_concentration",
    dev_velocity: "dev_velocity",
    competitive_landscape: "competitive_landscape",
    ai_intel: "depin_ai_intel"
  }
  assert.sameMembers(Object.keys(parts), Object.keys(alone))
  const credits = Object.entries(alone).map(([part, key]) => {
    const { rights: of, ...payload } = world.bought<Record<string, unknown>>(key)
    assert.deepStrictEqual(parts[part], payload, part)
    return of
  })
  assert.deepStrictEqual(rights, Object.assign({}, ...credits))
}
