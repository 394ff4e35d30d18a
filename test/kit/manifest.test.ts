/** What the check says of a manifest: of its symbols, and of a family of metrics. */
import { assert, describe, it } from "@effect/vitest"
import { networks } from "../../core/catalog/Catalog.ts"
import { oldAfterDays, signsOfLife } from "../../core/catalog/SignsOfLife.ts"
import { type Evidence, headlineOf, isDue, type Manifest, type Terms } from "../../core/plugin/Manifest.ts"
import { partOf } from "../../core/plugin/relations.ts"
import { countryMetrics } from "../../core/plugin/shapes/countries.ts"
import { day } from "../../core/plugin/time.ts"
import { meanings } from "../../core/plugin/units.ts"
import { dueFindings, lifeFindings } from "../../runtime/contributor/check/evidence.ts"
import { headlineFindings, headlinesIn } from "../../runtime/contributor/check/headlines.ts"
import { manifestFindings, unitFindings } from "../../runtime/contributor/check/manifest.ts"

const manifestOf = (metrics: Manifest["metrics"], changed: Partial<Manifest> = {}): Manifest => ({
  id: "example",
  title: "Example",
  covers: { networks: ["FIL"] },
  tier: "supply_telemetry",
  source: "example",
  hosts: ["stats.example.net"],
  every: "1 hour",
  grade: "K",
  evidence: [{ source: "https://docs.example.net", read: "2026-09-05", members: ["nodes"] }],
  owner: "plumbline",
  metrics,
  ...changed
})

const findings = (...args: Parameters<typeof manifestOf>) => manifestFindings("example", manifestOf(...args))

const messagesOf = (...args: Parameters<typeof findings>): ReadonlyArray<string> =>
  findings(...args).map(({ says }) => says)

const count = { unit: "count", min: 0, meaning: "A count." } as const

describe("evidence", () => {
  const of = (...evidence: ReadonlyArray<Evidence>) =>
    findings({ nodes: count }, { evidence }).map(({ says }) => says)
  const read = "2026-09-05"
  const members = ["nodes"]

  it("is a file of a repository at a commit, or a document, with the day and the members", () => {
    assert.deepStrictEqual(of({ source: "acme/api@30a4d61 src/stats.ts:27", read, members }), [])
    assert.deepStrictEqual(of({ source: "acme/api@30a4d61 src/stats.ts", read, members }), [])
    assert.deepStrictEqual(of({ source: "https://docs.acme.org/stats", read, members }), [])
    assert.deepStrictEqual(of(), ["evidence is missing"])
    for (const source of [
      "two clients of the page",
      "acme/api src/stats.ts",
      "acme/api@main src/stats.ts",
      ""
    ]) {
      assert.deepStrictEqual(
        of({ source, read, members }),
        ["evidence[0].source does not say where a stranger can read it"],
        source
      )
    }
    assert.deepStrictEqual(of({ source: "acme/api@30a4d61 a.ts", read: "September", members: [] }), [
      "evidence[0].read September is not a day",
      "evidence[0].members is empty"
    ])
  })

  it("is due when it is older than 180 days", () => {
    const entry = { source: "acme/api@30a4d61 a.ts", read: "2026-01-01", members }
    assert.isFalse(isDue(entry, Date.parse("2026-06-30")))
    assert.isTrue(isDue(entry, Date.parse("2026-06-30T00:00:00.001Z")))
    const due = dueFindings(manifestOf({ nodes: count }, { evidence: [entry] }), Date.parse("2026-07-01"))
    assert.deepStrictEqual(
      due.map(({ level, says }) => [level, says]),
      [["note", "evidence of 2026-01-01 is older than 180 days: acme/api@30a4d61 a.ts"]]
    )
  })
})

describe("signs of life", () => {
  const says = (hosts: ReadonlyArray<string>, now: string) =>
    lifeFindings(manifestOf({ nodes: count }, { hosts }), Date.parse(now)).map(({ level, says }) => [
      level,
      says
    ])
  const [sign] = signsOfLife
  assert.isDefined(sign)
  const { date, host } = sign

  it("notes hosts that nobody saw alive in public", () => {
    assert.deepStrictEqual(says([host], date), [])
    assert.deepStrictEqual(says([host, "stats.example.net", "api.example.net"], date), [
      ["note", "no public sign of life is written down: stats.example.net, api.example.net"]
    ])
  })

  it("notes hosts that nobody saw alive for a year", () => {
    const year = Date.parse(date) + oldAfterDays * day
    assert.deepStrictEqual(says([host], new Date(year).toISOString()), [])
    assert.deepStrictEqual(says([host], new Date(year + 1).toISOString()), [
      ["note", `the newest public sign of life is older than 365 days: ${host} (${date})`]
    ])
  })
})

describe("terms and relations", () => {
  const says = (changed: Partial<Manifest>) =>
    findings({ used: count, total: count }, changed).map(({ says }) => says)
  const terms: Terms = {
    address: "https://acme.org/terms",
    read: "2026-09-05",
    licence: "CC-BY-4.0",
    show: "yes",
    bulk: "yes",
    sell: "unknown",
    bodies: "yes",
    attribution: "Acme"
  }

  it("names each member of the terms that is not valid", () => {
    assert.deepStrictEqual(says({ terms }), [])
    assert.deepStrictEqual(
      says({ terms: { ...terms, address: "acme.org", read: "today", attribution: " " } }),
      ["terms.address is not valid", "terms.read is not valid", "terms.attribution is not valid"]
    )
  })

  it("names a metric that the plugin does not have, and a tolerance that is no share", () => {
    assert.deepStrictEqual(says({ relations: [partOf("used", "total")] }), [])
    assert.deepStrictEqual(says({ relations: [partOf("use", "total", { tolerance: 2 })] }), [
      "partOf(use, total) names use, which is not in metrics",
      "a tolerance of 2 is not a share"
    ])
  })
})

describe("a family of metrics", () => {
  it("has a star at its end and words that make names", () => {
    assert.deepStrictEqual(messagesOf(countryMetrics("Nodes")), [])
    assert.deepStrictEqual(messagesOf({ "nodes_*": { ...count, of: ["a", "b_2"] } }), [])
    assert.deepStrictEqual(messagesOf({ "nodes_*": { ...count, of: ["a", "b c"] } }), [
      "nodes_*: not a valid metric name"
    ])
    assert.deepStrictEqual(messagesOf({ "nodes_*": { ...count, of: [] } }), [
      "nodes_*: not a valid metric name"
    ])
    assert.deepStrictEqual(messagesOf({ "nodes_*": count }), ["nodes_*: not a valid metric name"])
    assert.deepStrictEqual(messagesOf({ nodes: { ...count, of: ["a"] } }), ["nodes: a family needs a star"])
  })
})

describe("a symbol", () => {
  const about = (symbol: string, changed: Partial<Manifest> = {}) =>
    findings({ nodes: count }, { covers: { networks: [symbol] }, ...changed }).map(
      ({ next, says }) => `${says}; ${next}`
    )

  it("in another case is given as the catalog writes it", () => {
    assert.deepStrictEqual(about("fil"), ["fil is not in the catalog; write FIL"])
  })

  it("that the catalog does not have comes with the line to add", () => {
    assert.include(
      about("NEWNET")[0],
      'write core/catalog/networks/<its category>/NEWNET.json: {"symbol": "NEWNET"'
    )
  })

  it("that is covered now does not stay among those that nothing covers", () => {
    const row = networks.find(({ not_covered }) => not_covered !== undefined)
    assert.isDefined(row)
    if (row === undefined) return
    const says = `the catalog says that ${row.symbol} is not covered`
    assert.isTrue(about(row.symbol)[0]?.startsWith(says))
    assert.deepStrictEqual(about(row.symbol, { tier: "market" }), [])
    assert.deepStrictEqual(about(row.symbol, { disabled: "no address is confirmed" }), [])
  })
})

describe("the role of a metric", () => {
  const headline = { ...count, role: "headline" } as const
  const headlineMessages = (manifest: Manifest, ...others: ReadonlyArray<Manifest>) =>
    headlineFindings(manifest, [manifest, ...others]).map(({ level, says }) => `${level}: ${says}`)
  const many = manifestOf({ nodes: headline }, { id: "many", covers: { networks: ["FIL", "AR"] } })

  it("is one of the closed list", () => {
    // The check reads what a contributor wrote, which need not have met the compiler.
    const metrics: Manifest["metrics"] = JSON.parse(JSON.stringify({ nodes: { ...count, role: "main" } }))
    assert.deepStrictEqual(messagesOf(metrics), ["nodes: unknown role main"])
  })

  it("is the headline for one metric of a network at most", () => {
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: headline, farms: count })), [])
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: headline, farms: headline })), [
      "wrong: FIL has the headlines nodes and farms"
    ])
    const other = manifestOf({ storage: headline }, { id: "other" })
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: headline }), other), [
      "wrong: FIL has the headline storage of plugins/other already"
    ])
  })

  it("is shown by the cases of a plugin of many networks", () => {
    const row = {
      value: 1,
      unit: "count",
      source: "example",
      verify_url: "https://x.org",
      as_of: ""
    } as const
    const rows = (symbol: string) => ({
      observations: [
        { ...row, symbol: "FIL", metric: "nodes" },
        { ...row, symbol, metric: "farms" }
      ],
      refused: []
    })
    const manifest = manifestOf({ nodes: headline, farms: headline }, { covers: many.covers })
    assert.deepStrictEqual(headlineMessages(manifest), [])
    assert.deepStrictEqual(headlinesIn("fixtures/ok", manifest, rows("AR")), [])
    assert.deepStrictEqual(
      headlinesIn("fixtures/ok", manifest, rows("FIL")).map(({ says }) => says),
      ["FIL has the headlines nodes and farms"]
    )
  })

  it("is that of the plugin of fewer networks, where two plugins give a headline", () => {
    const own = manifestOf({ storage: headline }, { id: "own" })
    assert.deepStrictEqual(headlineMessages(own, many), [])
    assert.strictEqual(headlineOf([many, own], "FIL", ["nodes", "storage"]), "storage")
    assert.strictEqual(headlineOf([many, own], "FIL", ["nodes"]), "nodes")
    assert.strictEqual(headlineOf([many, own], "AR", ["nodes", "storage"]), "nodes")
    assert.isUndefined(headlineOf([many, own], "STORJ", ["nodes"]))
  })

  it("is missed where a network of supply telemetry has no headline", () => {
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: count })), [
      "note: FIL has no headline metric"
    ])
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: count }), many), [])
    assert.deepStrictEqual(headlineMessages(manifestOf({ nodes: count }, { tier: "fees_tvl" })), [])
  })

  it("is not the headline for a family", () => {
    assert.deepStrictEqual(headlineMessages(manifestOf({ "nodes_*": { ...headline, of: ["a"] } })), [
      "wrong: nodes_*: a family cannot be a headline"
    ])
  })
})

describe("a metric", () => {
  it("whose name says a unit has that unit", () => {
    const bytes = { unit: "bytes", min: 0, meaning: "Bytes." } as const
    assert.deepStrictEqual(messagesOf({ storage_total_bytes: bytes, TOTAL_BYTES: bytes, nodes: count }), [])
    assert.deepStrictEqual(messagesOf({ storage_total_bytes: { ...bytes, unit: "gib" } }), [
      "storage_total_bytes: its name says bytes, but its unit is gib",
      "storage_total_bytes: sizes are published in bytes"
    ])
    assert.deepStrictEqual(messagesOf({ "fees_usd_*": { ...count, of: ["a"] } }), [
      "fees_usd_*: its name says usd, but its unit is count"
    ])
  })

  it("whose sizes are in bytes, but for those that were published in GiB", () => {
    const gib = { unit: "gib", min: 0, meaning: "Memory." } as const
    assert.deepStrictEqual(messagesOf({ cache_gib: gib }), ["cache_gib: sizes are published in bytes"])
    assert.deepStrictEqual(messagesOf({ memory_gib: gib, disk_gib: gib }), [])
  })

  it("whose unit is not taken for another: a change is no share, and a height no number of blocks", () => {
    const change = { unit: "pct", meaning: "Change of the price." } as const
    const height = { unit: "block", min: 0, meaning: "Height." } as const
    assert.deepStrictEqual(messagesOf({ uptime: change, tempo: height }), [
      "uptime: its unit is pct, but its name does not say a change",
      "tempo: its unit is block, but its name does not say a block"
    ])
    assert.deepStrictEqual(messagesOf({ price_change_pct: change, block_height: height }), [])
    assert.strictEqual(new Set(meanings.map(([, meaning]) => meaning)).size, meanings.length)
  })

  it("has one unit in all plugins", () => {
    const one = manifestOf({ block_height: { ...count, unit: "block" } })
    const two = manifestOf({ block_height: count, nodes: count }, { id: "other" })
    assert.deepStrictEqual(
      unitFindings(one, [one, two]).map(({ says }) => says),
      ["block_height is in block here, but in count in plugins/other"]
    )
    assert.deepStrictEqual(unitFindings(one, [one]), [])
  })
})
