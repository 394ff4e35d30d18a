/** `plugin new --from`: a real answer gives a plugin that passes its check but for what it guesses, which is marked. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { check } from "../../runtime/contributor/check/check.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { guess } from "../../runtime/contributor/kit/guesses.ts"
import { sampleIn } from "../../runtime/contributor/kit/sample.ts"
import { sampleTape, scaffold } from "../../runtime/contributor/kit/scaffold.ts"
import { contributor } from "../support/contributor.ts"

const at = Date.parse("2026-11-20T10:00:00Z")
const about = { origin: "captured", note: "Captured live from stats.acme.example" } as const

const drafted = Effect.fnUntraced(function* (id: string, text: string, query = "") {
  const places = yield* contributor
  const url = `https://stats.acme-storage.net/v1/${id}${query}`
  const tape = sampleTape(url, new TextEncoder().encode(text), at)
  yield* scaffold({ id, symbol: "STORJ", title: "Acme", url }, places, { tape, about })
  const rows = yield* Fixtures.expected(join(places.fixtures, id, "ok"))
  return {
    findings: yield* check(id, places),
    source: readFileSync(new URL(`${id}/index.ts`, places.plugins), "utf8"),
    metrics: (yield* Plugins.find(id, places.plugins)).manifest.metrics,
    rows:
      "observations" in rows
        ? rows.observations.map(({ metric, unit, value }) => [metric, value, unit])
        : [[rows.message]],
    dated: "observations" in rows ? [...new Set(rows.observations.map(({ as_of }) => as_of))] : []
  }
})

type Drafted = Effect.Success<ReturnType<typeof drafted>>

const isSound = ({ findings }: Drafted) => {
  assert.deepStrictEqual(
    findings.filter(({ level }) => level === "wrong"),
    []
  )
  assert.includeMembers(
    findings.filter(({ level }) => level === "todo").map(({ where }) => where),
    ["manifest", "source", "README"]
  )
}

const summary = {
  version: "1.4.2",
  data: {
    updatedAt: "2026-11-20T09:58:03Z",
    nodes: { online: 412, total: 500 },
    usedCapacityTB: 12.5,
    "price-usd": 0.37,
    utilization: 0.73,
    totalSupply: "1000000000123456789012345678",
    netFlow: -4,
    countries: { DE: 3, FR: 2 },
    operators: [
      { id: 1, disks: 4, status: "up" },
      { id: 2, disks: 2, status: "down" },
      { id: 3, disks: 1, status: "up" },
      { id: 4, disks: 3, status: "up" }
    ]
  },
  next_page: 2
}

describe("a draft", () => {
  it.effect("of a JSON object has its figures, units, time and leftovers", () =>
    Effect.gen(function* () {
      const draft = yield* drafted("summary", JSON.stringify(summary))
      isSound(draft)
      assert.sameDeepMembers(draft.rows, [
        ["online", 412, "count"],
        ["total", 500, "count"],
        ["used_capacity_bytes", 12.5e12, "bytes"],
        ["price_usd", 0.37, "usd"],
        ["utilization", 73, "percent"],
        ["total_supply", 1000000000.1234568, "tokens"],
        ["net_flow", -4, "score"],
        ["operators_total", 4, "count"],
        ["disks_sum", 10, "count"]
      ])
      assert.deepStrictEqual(draft.dated, ["2026-11-20T09:58:03Z"])
      assert.include(draft.source, "next_page turns pages")
      assert.include(draft.source, "countries is a map of 2 names")
      assert.include(draft.source, "status is one of up, down")
      assert.isTrue(
        Object.values(draft.metrics).every(({ meaning }) => meaning.startsWith("scaffold example"))
      )
    })
  )

  it.effect("of a list counts it and sums what is additive", () =>
    Effect.gen(function* () {
      const draft = yield* drafted(
        "list",
        JSON.stringify([
          { id: "a", memory_bytes: 5 },
          { id: "b", memory_bytes: 7 }
        ])
      )
      isSound(draft)
      assert.sameDeepMembers(draft.rows, [
        ["entries_total", 2, "count"],
        ["memory_sum_bytes", 12, "bytes"]
      ])
    })
  )

  it.effect("of an object whose names are data is that of its members", () =>
    Effect.gen(function* () {
      const draft = yield* drafted(
        "by-satellite",
        JSON.stringify({ "1x@ap1.acme.io:7777": { nodes: 5 }, "2y@eu1.acme.io:7777": { nodes: 7 } })
      )
      isSound(draft)
      assert.sameDeepMembers(draft.rows, [
        ["entries_total", 2, "count"],
        ["nodes_sum", 12, "count"]
      ])
    })
  )

  it.effect("of a table reads its columns", () =>
    Effect.gen(function* () {
      const draft = yield* drafted("table", "node id;gpus;lat\nn1;4;1.5\nn2;8;2.5\n")
      isSound(draft)
      // What is imported and not used does not compile.
      assert.deepStrictEqual(draft.source.match(/^import .*$/gm), [
        'import { metric, readOn } from "#plugin"',
        'import { csv } from "#plugin/csv"',
        'import { declare } from "#plugin/declare"'
      ])
      assert.sameDeepMembers(draft.rows, [
        ["rows_total", 2, "count"],
        ["gpus_sum", 12, "count"]
      ])
    })
  )

  it.effect("of XML reads its attributes and elements, and says which repeat", () =>
    Effect.gen(function* () {
      const draft = yield* drafted(
        "buoys",
        `<?xml version="1.0"?><stations updated="2026-11-20T09:58:03Z" capacity="9">
          <station id="a" gpus="4"><name>Cape</name></station><station id="b" gpus="8"/></stations>`
      )
      isSound(draft)
      assert.include(draft.source, 'xml("https://stats.acme-storage.net/v1/buoys", { lists: ["station"] })')
      assert.sameDeepMembers(draft.rows, [
        ["capacity", 9, "count"],
        ["station_total", 2, "count"],
        ["gpus_sum", 12, "count"]
      ])
      assert.deepStrictEqual(draft.dated, ["2026-11-20T09:58:03Z"])
      const cases = draft.findings.filter(
        ({ level, where }) => level !== "note" && where.startsWith("fixtures")
      )
      assert.deepStrictEqual(cases, [])
    })
  )

  const abi = [
    { type: "constructor", inputs: [], stateMutability: "nonpayable" },
    ...[
      ["getTranscoderPoolSize", [], "uint256", "view"],
      ["totalSupply", [], "uint256", "view"],
      ["decimals", [], "uint8", "view"],
      ["balanceOf", ["address"], "uint256", "view"],
      ["owner", [], "address", "view"],
      ["mint", [], "uint256", "nonpayable"]
    ].map(([name, inputs, output, stateMutability]) => ({
      type: "function",
      name,
      inputs: (inputs as ReadonlyArray<string>).map((type) => ({ type })),
      outputs: [{ type: output }],
      stateMutability
    }))
  ]
  const contract = "0x35Bcf3c30594191d53231E4FF333E8A770453e40"
  const ofAbi = Effect.fnUntraced(function* (id: string, content: unknown, address: string | undefined) {
    const places = yield* contributor
    const file = join(places.fixtures, `${id}.abi.json`)
    writeFileSync(file, JSON.stringify(content))
    const url = "https://rpc.acme-storage.net/"
    yield* TestClock.setTime(at)
    const sample = yield* sampleIn(file, { contract: address, id, url })
    rmSync(file)
    yield* scaffold({ id, symbol: "STORJ", title: "Acme", url }, places, sample)
    const rows = yield* Fixtures.expected(join(places.fixtures, id, "ok"))
    return {
      findings: yield* check(id, places),
      source: readFileSync(new URL(`${id}/index.ts`, places.plugins), "utf8"),
      rows:
        "observations" in rows
          ? rows.observations.map(({ metric, unit }) => [metric, unit])
          : [[rows.message]]
    }
  })

  it.effect("of an ABI reads its functions that take nothing and give one number", () =>
    Effect.gen(function* () {
      for (const [id, content] of [
        ["bare-abi", abi],
        ["artifact", { contractName: "Acme", abi }]
      ] as const) {
        const { findings, rows, source } = yield* ofAbi(id, content, contract)
        assert.deepStrictEqual(
          findings.filter(({ level }) => level === "wrong"),
          []
        )
        assert.sameDeepMembers(rows, [
          ["transcoder_pool_size", "count"],
          ["total_supply", "tokens"]
        ])
        // The selector that the contract of plugins/livepeer is asked with.
        assert.include(source, 'getTranscoderPoolSize: "0x2a4e0d55"')
        assert.include(source, 'total_supply: { number: "totalSupply", decimals: 18 }')
      }
    })
  )

  it.effect("of an ABI is refused without its contract, and without a number", () =>
    Effect.gen(function* () {
      const nowhere = yield* Effect.flip(ofAbi("nowhere", abi, undefined))
      assert.include(nowhere.message, "say at which address the contract is")
      const empty = yield* Effect.flip(ofAbi("empty-abi", abi.slice(0, 1), contract))
      assert.include(empty.message, "no function that takes nothing")
      const other = yield* Effect.flip(ofAbi("no-abi", { nodes: 1 }, contract))
      assert.include(other.message, "is no ABI")
    })
  )

  it.effect("has no name that another plugin gives in another unit", () =>
    Effect.gen(function* () {
      const places = yield* contributor
      const from = (id: string, value: unknown) =>
        scaffold({ id, symbol: "STORJ", title: id, url: `https://stats.acme-storage.net/${id}` }, places, {
          tape: sampleTape(
            `https://stats.acme-storage.net/${id}`,
            new TextEncoder().encode(JSON.stringify(value)),
            at
          ),
          about
        })
      yield* from("first", { load: 5 })
      yield* from("second", { load: 0.5, nodes: 2 })
      const { manifest } = yield* Plugins.find("second", places.plugins)
      assert.hasAllKeys(manifest.metrics, ["second_load", "nodes"])
    })
  )

  it.effect.each([
    ["nothing to read", '{"name":"acme"}', "no number"],
    ["a page", "<html></html>", "neither JSON, nor XML, nor a table"]
  ] as const)("is refused of %s", ([id, text, says]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(drafted(id.replaceAll(" ", "-"), text))
      assert.include(error.message, says)
    })
  )

  it.effect("is refused of an address with a key", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(drafted("keyed", '{"nodes":1}', "?apikey2=abc"))
      assert.include(error.message, "leave out apikey2")
    })
  )
})

it("guesses are of the last word that says a unit", () => {
  const unit = (name: string, value: number | string) => guess(name, value)?.unit
  assert.strictEqual(unit("total_cores", 4), "cores")
  assert.strictEqual(unit("blockHeight", 400), "block")
  assert.strictEqual(unit("staked", "12"), "tokens")
  assert.strictEqual(unit("success_percent", 97.2), "percent")
  assert.isUndefined(unit("latitude", 4.5))
  assert.isUndefined(unit("chain_id", 1))
  assert.isUndefined(unit("name", "acme"))
  assert.strictEqual(guess("free_gib", 2)?.factor, 1024 ** 3)
})
