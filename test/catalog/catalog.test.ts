/** The catalog: who is in it, that no two are taken for one, and that whoever is not covered is told why. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { networks, notLookedFor, referenceSymbols, uncovered } from "../../core/catalog/Catalog.ts"
import { checksummed } from "../../core/credits/chain/signature.ts"
import { Category } from "../../core/plugin/kinds.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { categoryFindings } from "../../runtime/contributor/check/catalog.ts"
import { plugins } from "../support/plugins.ts"

const manifests = plugins.map(({ manifest }) => manifest)

const twice = (values: ReadonlyArray<string | undefined>) => {
  const visited = new Set<string>()
  return values.filter((value) => {
    if (value === undefined) return false
    const before = visited.has(value)
    visited.add(value)
    return before
  })
}

describe("the catalog", () => {
  it("has 745 networks and more beside the subnets", () => {
    assert.isAtLeast(networks.filter(({ symbol }) => !/^SN\d+$/.test(symbol)).length, 745)
  })

  it.effect.each([...Category.literals])(
    "has each network once and in order in the files of %s",
    (category) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* categoryFindings(category), [])
        const symbols = networks.flatMap(({ category: of, symbol }) =>
          of === category && !/^SN\d+$/.test(symbol) ? [symbol.toUpperCase()] : []
        )
        assert.isNotEmpty(symbols)
        assert.deepStrictEqual(symbols, symbols.toSorted())
      })
  )

  it("tells two networks of one ticker apart by the name of the later one", () => {
    for (const { name, symbol } of networks) {
      const [ticker, suffix] = symbol.split(".", 2)
      if (suffix === undefined) continue
      assert.isTrue(
        networks.some((other) => other.symbol === ticker),
        `${symbol}: no other network has the ticker`
      )
      assert.strictEqual(suffix, name.toUpperCase().replace(/[^A-Z0-9]/g, ""), symbol)
    }
  })

  it("names a website, which no two networks share", () => {
    const websites = networks.map(({ website }) => website)
    for (const website of websites) assert.match(website, /^https?:\/\/[a-z0-9.-]+\.[a-z0-9]+([:/]|$)/i)
    const plain = websites.map((website) => website.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, ""))
    // Two tokens of one network.
    assert.deepStrictEqual(twice(plain), ["thetatoken.org"])
  })

  it("keeps general chains, oracles and exchanges apart as references", () => {
    for (const symbol of ["BTC", "ETH", "SOL", "BNB", "XRP", "LINK", "XMR"]) {
      assert.isTrue(referenceSymbols.has(symbol), symbol)
    }
    for (const symbol of ["FIL", "AKT", "SN64", "MARITIME_AIS"]) assert.isFalse(referenceSymbols.has(symbol))
  })

  it("gives no ticker twice, whatever the case", () => {
    assert.deepStrictEqual(twice(networks.map(({ symbol }) => symbol.toUpperCase())), [])
  })

  it("joins no market and no contract to two networks", () => {
    assert.deepStrictEqual(twice(networks.map(({ coingecko_id }) => coingecko_id)), [])
    assert.deepStrictEqual(
      twice(
        networks.map(({ chain, token_contract }) =>
          token_contract === undefined ? undefined : `${chain} ${token_contract.toLowerCase()}`
        )
      ),
      []
    )
  })
})

describe("a contract", () => {
  it("is known of 220 networks and more, each with the lists that name it", () => {
    const withContract = networks.filter(({ token_contract }) => token_contract !== undefined)
    assert.isAtLeast(withContract.length, 220)
    for (const { contract_source, symbol } of withContract)
      assert.isAbove(contract_source?.length ?? 0, 20, symbol)
    for (const network of networks) {
      if (network.token_contract === undefined) assert.isUndefined(network.contract_source, network.symbol)
      else assert.isDefined(network.chain, network.symbol)
    }
  })

  it("of an EVM chain carries its checksum (EIP-55), one of Solana is a key of 32 bytes in base58", () => {
    for (const { chain, symbol, token_contract } of networks) {
      if (token_contract === undefined) continue
      if (chain === "solana") assert.match(token_contract, /^[1-9A-HJ-NP-Za-km-z]{43,44}$/, symbol)
      else assert.strictEqual(token_contract, checksummed(token_contract), symbol)
    }
  })
})

describe("a network that no first-party feed covers", () => {
  const manifest = (more: Partial<Manifest>) => ({
    id: "sample",
    covers: { networks: ["FIL"] },
    tier: "supply_telemetry" as const,
    ...more
  })

  it("has a reason, and a covered one has none", () => {
    const reasons = uncovered(manifests)
    const covered = new Set(
      manifests.flatMap(({ covers, disabled, tier }) =>
        tier === "supply_telemetry" && disabled === undefined && "networks" in covers ? covers.networks : []
      )
    )
    for (const { symbol } of networks) {
      if (covered.has(symbol)) assert.isFalse(reasons.has(symbol), symbol)
      else assert.isAbove(reasons.get(symbol)?.length ?? 0, 10, symbol)
    }
    assert.strictEqual(reasons.size + covered.size, networks.length)
  })

  it("is told what was checked and when; of at most 100 nobody has looked", () => {
    const unlooked = [...uncovered(manifests).values()].filter((reason) => reason === notLookedFor)
    assert.isAtMost(unlooked.length, 100)
    for (const { looked, not_covered, symbol } of networks) {
      if (not_covered !== undefined) assert.match(not_covered, /(read|noted) \d{4}-\d{2}-\d{2}\)/, symbol)
      assert.isFalse(looked !== undefined && not_covered !== undefined, symbol)
    }
  })

  it("is told of the feed that runs only when asked for, and why", () => {
    for (const { covers, disabled, id } of manifests) {
      if (disabled === undefined || !("networks" in covers)) continue
      for (const symbol of covers.networks) {
        const isMeasured = manifests.some(
          (other) =>
            other.disabled === undefined &&
            other.tier === "supply_telemetry" &&
            "networks" in other.covers &&
            other.covers.networks.includes(symbol)
        )
        if (isMeasured) assert.isUndefined(uncovered(manifests).get(symbol), symbol)
        else assert.include(uncovered(manifests).get(symbol) ?? "", disabled, `${symbol} of ${id}`)
      }
    }
  })

  it("is told that nobody looked, where nobody did; fees and prices are no telemetry", () => {
    assert.strictEqual(uncovered([]).get("FIL"), notLookedFor)
    assert.isFalse(uncovered([manifest({})]).has("FIL"))
    assert.strictEqual(uncovered([manifest({ tier: "fees_tvl" })]).get("FIL"), notLookedFor)
    assert.strictEqual(
      uncovered([manifest({ disabled: "unconfirmed" })]).get("FIL"),
      "the feed sample runs only when asked for: unconfirmed"
    )
    assert.strictEqual(
      uncovered([]).get("GRASS"),
      "only account endpoints behind a personal token (public client code, noted 2026-11-21)"
    )
  })
})
