/** `plugin new`: what it makes passes its own check, and every rule that is broken afterwards is reported by name. */
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { declare } from "../../core/plugin/shapes/declare.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { check, type Places } from "../../runtime/contributor/check/check.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { derive, writeCases } from "../../runtime/contributor/kit/derive.ts"
import { scaffold, symbolProblem } from "../../runtime/contributor/kit/scaffold.ts"
import { contributor } from "../support/contributor.ts"

const wish = (id: string) => ({
  id,
  symbol: "STORJ",
  title: "Acme",
  url: `https://stats.example.net/v1/${id}`
})

/** A scaffold in new places. The id differs each time, for modules are imported once. */
const scaffolded = Effect.fnUntraced(function* (id: string) {
  const places = yield* contributor
  yield* scaffold(wish(id), places)
  return places
})

/** The scaffold's plugin as code, which can break more rules than data can. */
const asCode = (source: string, id: string): string =>
  source
    .replace(
      /^import [\s\S]*?\n\n/,
      `import { Schema } from "effect"
import { headline, metric, Plugin, readOn } from "#plugin"
import { count, moment, quantity } from "#plugin/fields"

const url = ${JSON.stringify(wish(id).url)}

const Stats = Schema.Struct({ updated: moment, nodes_online: count, storage_bytes: quantity })

`
    )
    .replace("declare(", "Plugin.define(")
    .replace(
      /answers: \[[\s\S]*\n {2}\]/,
      `collect: (observe) =>
    Plugin.one(
      observe,
      url,
      Stats,
      { as_of: ({ updated }) => updated },
      ({ nodes_online, storage_bytes }) => ({ nodes_online, storage_total_bytes: storage_bytes })
    )`
    )

/** The same as code and with one text of its source changed before the module is first imported: it is made elsewhere and copied over. */
const changed = Effect.fnUntraced(function* (
  id: string,
  from: string,
  to: string,
  more: readonly [from: string, to: string] = ["", ""]
) {
  const other = yield* scaffolded(id)
  const { plugins } = yield* contributor
  const source = asCode(readFileSync(new URL(`${id}/index.ts`, other.plugins), "utf8"), id)
  assert.include(source, from)
  mkdirSync(new URL(`${id}/`, plugins))
  writeFileSync(new URL(`${id}/index.ts`, plugins), source.replace(from, to).replace(...more))
  const page = `${id}/README.md`
  writeFileSync(new URL(page, plugins), readFileSync(new URL(page, other.plugins)))
  return { plugins, fixtures: other.fixtures }
})

const wrongs = (id: string, places: Places) =>
  Effect.map(check(id, places), (findings) =>
    findings.filter(({ level }) => level === "wrong").map(({ says, where }) => `${where}: ${says}`)
  )

describe("a scaffold", () => {
  it.effect("passes its own check and says what to replace", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("fresh")
      const results = yield* check("fresh", places)
      assert.deepStrictEqual(
        results.filter(({ level }) => level === "wrong"),
        []
      )
      assert.includeMembers(
        results.filter(({ level }) => level === "todo").map(({ where }) => where),
        ["manifest", "source", "README", "fixtures/ok", "fixtures/refused"]
      )
    })
  )

  it.effect("has the five cases, each showing what its name says", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("cases")
      const rows = (name: string) => Fixtures.expected(join(places.fixtures, "cases", name))
      assert.sameMembers(readdirSync(join(places.fixtures, "cases")), [
        "ok.json",
        "measured-zero.json",
        "missing-field.json",
        "refused.json",
        "changed-shape.json"
      ])
      const values = (result: Effect.Success<ReturnType<typeof rows>>) =>
        "observations" in result
          ? result.observations.map(({ metric, value }) => [metric, value])
          : result.error
      assert.deepStrictEqual(values(yield* rows("ok")), [
        ["nodes_online", 1234],
        ["storage_total_bytes", 56789012345]
      ])
      assert.deepStrictEqual(values(yield* rows("measured-zero")), [
        ["nodes_online", 0],
        ["storage_total_bytes", 56789012345]
      ])
      assert.deepStrictEqual(values(yield* rows("missing-field")), [["storage_total_bytes", 56789012345]])
      assert.strictEqual(values(yield* rows("refused")), "UpstreamRefused")
      // Absent is absent, and a run that finds nothing of all says so.
      const other = yield* rows("changed-shape")
      assert.deepStrictEqual(values(other), [])
      assert.include("refused" in other ? other.refused[0]?.reason : "", "no field of any metric in ")
    })
  )

  it.effect("is at most forty lines", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("short")
      const source = readFileSync(new URL("short/index.ts", places.plugins), "utf8")
      assert.isAtMost(source.trim().split("\n").length, 40)
    })
  )

  it.effect("of a sector covers its symbol, which no catalog has", () =>
    Effect.gen(function* () {
      const places = yield* contributor
      yield* scaffold({ ...wish("buoys"), symbol: "BUOYS", sector: "PHYSICAL_FLOOD" }, places)
      const { manifest } = yield* Plugins.find("buoys", places.plugins)
      assert.deepStrictEqual(manifest.covers, { sector: "PHYSICAL_FLOOD", symbols: ["BUOYS"] })
      assert.strictEqual(manifest.tier, "physical")
      const wrong = (yield* check("buoys", places)).filter(({ level }) => level === "wrong")
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("never overwrites a plugin", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("twice")
      const error = yield* Effect.flip(scaffold(wish("twice"), places))
      assert.include(error.message, "the plugin twice already exists")
    })
  )

  it.effect.each(["Acme", "a", "a b", "../up", "1st"])("refuses the id %s", (id) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(scaffold(wish(id), yield* contributor))
      assert.include(error.message, "is not a plugin id")
    })
  )

  it.effect("refuses an address that is not https", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        scaffold({ ...wish("plain"), url: "http://x.org" }, yield* contributor)
      )
      assert.include(error.message, "https")
    })
  )

  it("is about a symbol of the catalog, or one that is added to it", () => {
    assert.isUndefined(symbolProblem("STORJ", false))
    assert.isUndefined(symbolProblem("NEWNET", true))
    assert.strictEqual(symbolProblem("storj", true), "--symbol: the catalog has STORJ, not storj")
    assert.strictEqual(symbolProblem("newnet", true), "--symbol: newnet must be upper case (NEWNET)")
    assert.include(symbolProblem("NEWNET", false), "add it with --category (one of ai, bandwidth")
  })

  it.effect("loses its example of a case that cannot be made of the recording", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("unmakeable")
      const ok = join(places.fixtures, "unmakeable/ok")
      const { tape } = yield* Fixtures.load(ok)
      const rows = yield* Fixtures.expected(ok)
      // Without its numbers the payload has nothing to be set to 0, and nothing to leave out.
      const body = new TextEncoder().encode('{"updated":"2026-09-05T10:30:00Z","nodes_online":0}')
      const sha256 = createHash("sha256").update(body).digest("hex")
      const exchanges = tape.exchanges.map((exchange) => ({ ...exchange, body, sha256 }))
      const about = { plugin: "unmakeable", origin: "written", note: "after the documentation" } as const
      yield* Fixtures.save(ok, about, { ...tape, exchanges })
      yield* Fixtures.writeExpected(ok, rows)
      const plugin = yield* Plugins.find("unmakeable", places.plugins)
      const outcomes = yield* writeCases(plugin, places.fixtures)
      assert.deepStrictEqual(
        outcomes.filter(({ became }) => became === "underivable").map(({ name }) => name),
        ["missing-field"]
      )
      assert.notInclude(readdirSync(join(places.fixtures, "unmakeable")), "missing-field.json")
    })
  )

  it.effect("has its derived cases derived again, and none that was written by hand unless it is named", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("by-hand")
      const plugin = yield* Plugins.find("by-hand", places.plugins)
      const refused = join(places.fixtures, "by-hand/refused")
      const { tape } = yield* Fixtures.load(refused)
      const exchanges = tape.exchanges.map((exchange) => ({ ...exchange, status: 503 }))
      const about = { plugin: "by-hand", origin: "written", note: "after its status page" } as const
      yield* Fixtures.save(refused, about, { ...tape, exchanges })
      const statusOf = Effect.map(Fixtures.load(refused), ({ tape }) => tape.exchanges[0]?.status)
      const becameOf = Effect.fnUntraced(function* (only?: string) {
        const outcomes = yield* writeCases(plugin, places.fixtures, only)
        return outcomes.map(({ became, name }) => `${name} ${became}`)
      })
      const all = ["measured-zero written", "missing-field written", "refused left", "changed-shape written"]
      assert.deepStrictEqual(yield* becameOf(), all)
      assert.strictEqual(yield* statusOf, 503)
      // One that cannot be read may be somebody's work too.
      const file = `${refused}.json`
      const text = readFileSync(file, "utf8")
      writeFileSync(file, text.slice(1))
      assert.deepStrictEqual(yield* becameOf(), all)
      assert.strictEqual(readFileSync(file, "utf8"), text.slice(1))
      assert.deepStrictEqual(yield* becameOf("refused"), ["refused written"])
      assert.strictEqual(yield* statusOf, 429)
    })
  )
})

/** What is done to a scaffold, by replacing a text of its index.ts, and what the check then says. */
const breaks: ReadonlyArray<
  readonly [id: string, from: string, to: string, says: string, more?: readonly [from: string, to: string]]
> = [
  ["other-id", 'id: "other-id"', 'id: "else"', "manifest: id is else, but the folder is other-id"],
  ["no-symbol", '["STORJ"]', "[]", "manifest: covers.networks is empty"],
  [
    "host-form",
    '["stats.example.net"]',
    '["https://stats.example.net"]',
    "manifest: https://stats.example.net is not a public host name"
  ],
  ["host-other", '["stats.example.net"]', '["stats.example.org"]', "fixtures/ok: it reads stats.example.net"],
  ["too-often", '"1 hour"', '"5 seconds"', "manifest: every 5 seconds is out of range"],
  [
    "no-meaning",
    'metric("bytes", "Bytes of customers stored.")',
    'metric("bytes", "bytes")',
    "manifest: storage_total_bytes: meaning is not a sentence"
  ],
  [
    "no-floor",
    'metric("bytes", "Bytes of customers stored.")',
    '{ unit: "bytes", meaning: "Bytes of customers stored." }',
    "manifest: storage_total_bytes: a value in bytes has no lower bound"
  ],
  [
    "bounds",
    'metric("bytes", "Bytes of customers stored.")',
    'metric("bytes", "Bytes of customers stored.", { max: 5 })',
    "fixtures/ok: STORJ storage_total_bytes is refused: 56789012345 is above the greatest possible value 5"
  ],
  [
    "clock",
    "{ as_of: ({ updated }) => updated }",
    "{ as_of: Date.now() - 9e12 }",
    "source: index.ts uses the wall clock directly"
  ],
  [
    "network",
    "import { headline",
    'import "node:http"\nimport { headline',
    "source: index.ts uses the platform directly"
  ],
  [
    "zero",
    "({ nodes_online, storage_total_bytes",
    "({ nodes_online: nodes_online ?? 0, storage_total_bytes",
    "fixtures/missing-field: expected differs"
  ],
  [
    "undeclared",
    "storage_total_bytes: storage_bytes }",
    "storage: storage_bytes } as never",
    "fixtures/ok: STORJ storage is refused: the manifest does not declare this metric"
  ],
  [
    "tolerant",
    "      Stats,",
    "      Schema.Unknown as never as typeof Stats,",
    "broken payloads: null: the plugin throws: TypeError"
  ],
  [
    "enabled",
    '  disabled: "scaffold example: not a real upstream yet",\n',
    "",
    "manifest: a plugin of grade C must be disabled"
  ],
  ["no-export", "export default", "const _plugin =", "source: index.ts must have a default export"],
  ["syntax", "export default", "export default (", "source: index.ts, line 34 cannot be imported"],
  ["no-unit", 'metric("bytes"', 'metric("byte" as never', "manifest: storage_total_bytes: unknown unit byte"],
  [
    "camel",
    "nodes_online: headline",
    "nodesOnline: headline",
    "manifest: nodesOnline: not a valid metric name"
  ],
  ["no-grade", 'grade: "C"', 'grade: "c" as never', "manifest: unknown grade c"],
  [
    "no-tier",
    "  metrics: {",
    '  tier: "telemetry" as never,\n  metrics: {',
    "manifest: unknown tier telemetry"
  ],
  ["no-duration", '"1 hour"', '"1 hur" as never', "manifest: every 1 hur is not a duration"],
  [
    "other-room",
    "import { headline",
    'import "../../runtime/settings/Settings.ts"\nimport { headline',
    "source: index.ts imports ../../runtime/settings/Settings.ts"
  ],
  [
    "package",
    "import { headline",
    'import axios from "axios"\nimport { headline',
    "source: index.ts imports axios"
  ],
  [
    "throws",
    "({ nodes_online, storage_total_bytes: storage_bytes })",
    '{ throw new Error("boom") }',
    "fixtures/ok: the run fails: index.ts, line "
  ],
  [
    "asks-more",
    "      url,",
    "      url.concat('?page=1'),",
    "fixtures/measured-zero: it lacks an answer: GET https://stats.example.net/v1/asks-more?page=1"
  ],
  [
    "zone",
    "{ as_of: ({ updated }) => updated }",
    '{ as_of: new Date("2026-09-05 10:30:00").getTime() }',
    "fixtures/ok: in the time zone America/Los_Angeles it gives other rows than in Asia/Tokyo"
  ],
  [
    "zone-of-module",
    "{ as_of: ({ updated }) => updated }",
    "{ as_of: begin }",
    "fixtures/ok: in the time zone America/Los_Angeles it gives other rows than in Asia/Tokyo",
    ["const url", "const begin = new Date(2026, 8, 5).getTime()\nconst url"]
  ],
  [
    "random",
    "({ nodes_online, storage_total_bytes",
    "({ nodes_online: Math.round(Math.random() * 1e9), storage_total_bytes",
    "fixtures/ok: a second replay gives other rows: STORJ nodes_online of random_stats: expected value "
  ],
  [
    "state",
    "({ nodes_online, storage_total_bytes",
    "({ nodes_online: ++runs, storage_total_bytes",
    "fixtures/ok: a second replay gives other rows: STORJ nodes_online of state_stats: expected value ",
    ["const url", "let runs = 0\nconst url"]
  ]
]

describe("the cases", () => {
  const listing = Plugin.define({
    id: "listing",
    title: "Listing",
    covers: { networks: ["STORJ"] },
    tier: "supply_telemetry",
    source: "listing",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "A",
    owner: "you",
    metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes online." } },
    collect: (observe) =>
      Effect.gen(function* () {
        const Node = Schema.Struct({ id: Schema.String, status: Fields.text })
        const answer = yield* Upstream.json("https://stats.example.net/", Schema.Array(Node))
        const statuses = answer.body.map(({ status }) => status)
        return observe(answer, { nodes_online: Fields.countOf(statuses, "up", ["up", "down"]) })
      })
  })

  it.effect("have a measured zero where a count of words is all that the payload gives", () =>
    Effect.gen(function* () {
      const text = JSON.stringify(["up", "down", "up"].map((status, id) => ({ id: `n${id}`, status })))
      const body = new TextEncoder().encode(text)
      const request = { method: "GET", url: "https://stats.example.net/" } as const
      const exchange = { request, at: 1e12, status: 200, headers: {}, sha256: "", body }
      const cases = yield* derive(listing, { now: 1e12, targets: [], settings: {}, exchanges: [exchange] })
      const zero = cases.find(({ name }) => name === "measured-zero")
      assert.isTrue(zero !== undefined && "rows" in zero && "observations" in zero.rows)
      if (zero === undefined || !("rows" in zero) || !("observations" in zero.rows)) return
      assert.deepStrictEqual(
        zero.rows.observations.map(({ value }) => value),
        [0]
      )
      assert.strictEqual(zero.how, "every up in /#/status replaced by down")
    })
  )
})

describe("the cases of a plugin that counts a list", () => {
  const feed = (mayBeEmpty: boolean) =>
    declare({
      id: "warnings",
      title: "Warnings",
      covers: { networks: ["STORJ"] },
      tier: "supply_telemetry",
      source: "warnings",
      hosts: ["stats.example.net"],
      every: "1 hour",
      grade: "A",
      metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes online." } },
      answers: [
        {
          ask: "https://stats.example.net/",
          figures: {
            nodes_online: { entries: "in.force", by: "id", ...(mayBeEmpty ? { mayBeEmpty: true } : {}) }
          }
        }
      ]
    })

  it.effect("have a measured zero where the list may be empty, and none where it may not", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode('{"in":{"force":[{"id":"a"},{"id":"b"}]}}')
      const request = { method: "GET", url: "https://stats.example.net/" } as const
      const exchange = { request, at: 1e12, status: 200, headers: {}, sha256: "", body }
      const zeroOf = (plugin: Plugin.Plugin) =>
        Effect.map(derive(plugin, { now: 1e12, targets: [], settings: {}, exchanges: [exchange] }), (cases) =>
          cases.find(({ name }) => name === "measured-zero")
        )
      const zero = yield* zeroOf(feed(true))
      if (zero === undefined || !("rows" in zero) || !("observations" in zero.rows)) return assert.fail()
      assert.deepStrictEqual(
        zero.rows.observations.map(({ value }) => value),
        [0]
      )
      assert.strictEqual(zero.how, "/in/force of GET https://stats.example.net/ emptied")
      assert.strictEqual(new TextDecoder().decode(zero.tape.exchanges[0]?.body), '{"in":{"force":[]}}')
      assert.property(yield* zeroOf(feed(false)), "why")
    })
  )
})

describe("the cases of a plugin with one value of a chain", () => {
  const url = "https://stats.example.net/rpc"
  const Result = Schema.Struct({ result: Schema.String })
  const chain = Plugin.define({
    id: "chain",
    title: "Chain",
    covers: { networks: ["STORJ"] },
    tier: "supply_telemetry",
    source: "chain",
    hosts: ["stats.example.net"],
    every: "1 hour",
    grade: "A",
    metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes online." } },
    collect: (observe) =>
      Plugin.one(observe, url, Result, ({ result }) => ({
        nodes_online: Number(result) === 0 ? Upstream.unreadable("no registry") : Number(result)
      }))
  })
  it.effect("can be derived: without its result no row remains, and a zero may be refused", () =>
    Effect.gen(function* () {
      const body = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"0x2a"}')
      const request = { method: "GET", url } as const
      const exchange = { request, at: 1e12, status: 200, headers: {}, sha256: "", body }
      const cases = yield* derive(chain, { now: 1e12, targets: [], settings: {}, exchanges: [exchange] })
      assert.deepStrictEqual(
        cases.map((one) => [one.name, "how" in one ? one.how : one.why]),
        [
          ["measured-zero", `/result of GET ${url} set to 0, which the plugin refuses`],
          ["missing-field", `/result of GET ${url} removed`],
          ["refused", "every answer replaced by status 429"],
          ["changed-shape", "every answer replaced by another shape"]
        ]
      )
    })
  )
})

describe("the check", () => {
  it.effect.each([...breaks])("of %s names the rule", ([id, from, to, says, more]) =>
    Effect.gen(function* () {
      const messages = yield* wrongs(id, yield* changed(id, from, to, more))
      assert.isTrue(
        messages.some((line) => line.startsWith(says)),
        messages.join("\n")
      )
    })
  )

  it.effect("says what differs in a row, the place that is kept and the one that is given", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("differs")
      const ok = join(places.fixtures, "differs/ok.json")
      writeFileSync(ok, readFileSync(ok, "utf8").replace('"value":1234', '"value":1235'))
      assert.deepStrictEqual(yield* wrongs("differs", places), [
        "fixtures/ok: expected differs: STORJ nodes_online of differs_stats: expected value 1235, got 1234"
      ])
    })
  )

  it.effect("names a host that is not declared once, whatever the number of cases", () =>
    Effect.gen(function* () {
      const places = yield* changed("once", '["stats.example.net"]', '["stats.example.org"]')
      const messages = yield* wrongs("once", places)
      assert.deepStrictEqual(
        messages.filter((line) => line.includes("not in hosts")),
        ["fixtures/ok: it reads stats.example.net, which is not in hosts"]
      )
    })
  )

  it.effect("does not replay what reaches for the network", () =>
    Effect.gen(function* () {
      const values = "({ nodes_online, storage_total_bytes: storage_bytes })"
      const reach = `{ void fetch("https://stats.example.net/"); return ${values} }`
      const results = yield* check("reaching", yield* changed("reaching", values, reach))
      assert.isTrue(results.some(({ says }) => says.startsWith("index.ts uses the network directly")))
      assert.deepStrictEqual(
        results.filter(({ where }) => where.startsWith("fixtures")).map(({ says }) => says),
        ["the cases are not replayed"]
      )
    })
  )

  it.effect("names an amount in base units that calls itself tokens", () =>
    Effect.gen(function* () {
      const places = yield* changed("wei", 'headline("count"', 'headline("tokens"', [
        "=> ({ nodes_online,",
        "=> ({ nodes_online: nodes_online && String(nodes_online) + '0'.repeat(13),"
      ])
      assert.include(
        (yield* wrongs("wei", places)).join("\n"),
        "nodes_online is 12340000000000000 tokens, more than any network has; it looks like base units"
      )
    })
  )

  it.effect("names a time of the data that the answer states and no row takes", () =>
    Effect.gen(function* () {
      const says = "the answer says in updated when its data was true, but no row uses it"
      const places = yield* changed("undated", "{ as_of: ({ updated }) => updated }", "{}")
      assert.isTrue((yield* check("undated", places)).some((finding) => finding.says === says))
      const dated = yield* scaffolded("dated")
      assert.isFalse((yield* check("dated", dated)).some((finding) => finding.says === says))
    })
  )

  it.effect("leaves the time zone as it was", () =>
    Effect.gen(function* () {
      const zone = () => [process.env["TZ"], new Date(2026, 8, 5).getTime()]
      const before = zone()
      yield* check("unmoved", yield* scaffolded("unmoved"))
      assert.deepStrictEqual(zone(), before)
    })
  )

  it.effect("proposes to make a case again whose answers have the old shape, instead of emptying it", () =>
    Effect.gen(function* () {
      const places = yield* changed("renamed", "nodes_online: count", "nodes: count", [
        "({ nodes_online, storage",
        "({ nodes: nodes_online, storage"
      ])
      // The upstream renames a member; the case ok is recorded again, and the others still have the old name.
      const folder = join(places.fixtures, "renamed")
      const { tape } = yield* Fixtures.load(join(folder, "ok"))
      const renamed = (from: typeof tape) => ({
        ...from,
        exchanges: from.exchanges.map((exchange) => {
          const body = new TextEncoder().encode(
            new TextDecoder().decode(exchange.body).replace("nodes_online", "nodes")
          )
          return { ...exchange, body, sha256: createHash("sha256").update(body).digest("hex") }
        })
      })
      const about = { plugin: "renamed", origin: "written" } as const
      const odd = join(folder, "odd")
      yield* Fixtures.save(
        odd,
        {
          ...about,
          note: "Made from the case ok (by hand): /exchanges/0/body/more=1, /exchanges/0/status=203"
        },
        tape
      )
      yield* Fixtures.writeExpected(odd, yield* Fixtures.expected(join(folder, "ok")))
      yield* Fixtures.save(join(folder, "ok"), { ...about, note: "by hand, again" }, renamed(tape))
      const findings = yield* check("renamed", places)
      const next = (where: string) =>
        findings.find((finding) => finding.where === where && finding.says.startsWith("expected differs"))
          ?.next ?? ""
      assert.include(
        next("fixtures/odd"),
        "record renamed --case odd --edit '/exchanges/0/body/more=1' --edit '/exchanges/0/status=203'"
      )
      assert.include(next("fixtures/odd"), "--update would leave it empty")
      assert.include(next("fixtures/measured-zero"), "plugin cases renamed --case measured-zero")
    })
  )

  it.effect("names a body that no exchange has", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("more")
      const folder = join(places.fixtures, "more")
      writeFileSync(join(folder, "ok.2.json"), "{}")
      assert.deepStrictEqual(yield* wrongs("more", places), ["fixtures/ok: no exchange uses ok.2.json"])
    })
  )

  it.effect("names a case that is missing, a body that was edited, and rows that differ", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("edited")
      const folder = join(places.fixtures, "edited")
      rmSync(join(folder, "refused.json"))
      const edit = (name: string, from: string, to: string) => {
        const text = readFileSync(join(folder, name), "utf8")
        assert.include(text, from)
        writeFileSync(join(folder, name), text.replace(from, to))
      }
      edit("missing-field.json", "/body/nodes_online", "/body/storage_bytes")
      edit("ok.json", '"value":1234', '"value":1235')
      const messages = yield* wrongs("edited", places)
      assert.includeMembers(messages, [
        "fixtures/refused: the case is missing",
        "fixtures/missing-field: 1.json does not match the hash of the recorded body"
      ])
      assert.isTrue(messages.some((line) => line.startsWith("fixtures/ok: expected differs")))
      const absent = (yield* check("edited", places)).find(({ says }) => says === "the case is missing")
      assert.include(absent?.next, "plugin cases edited --case refused; or by hand")
      assert.include(absent?.next, "record edited --case refused --edit '/exchanges/0/body/…=…' --note ")
    })
  )

  it.effect("names a README without its sections", () =>
    Effect.gen(function* () {
      const places = yield* scaffolded("silent")
      const readme = new URL("silent/README.md", places.plugins)
      writeFileSync(readme, readFileSync(readme, "utf8").replace("## Not covered", "## More"))
      assert.deepStrictEqual(yield* wrongs("silent", places), ["README: ## Not covered is missing"])
    })
  )
})
