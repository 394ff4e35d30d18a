/** Twenty-one networks worked out again by a foreign program, from their pages of method and recorded answers alone. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Observation } from "../../core/plugin/Value.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { plugins } from "../support/plugins.ts"
import { pathOf } from "../support/programs.ts"
import { latestRow, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const used = [
  "filecoin-supply",
  "sia",
  "network-services",
  "evm-registries",
  "substrate-storage",
  "cosmos-modules",
  "jackal",
  "golem",
  "flux",
  "aleph"
] as const

interface Case {
  readonly exchanges: ReadonlyArray<{
    readonly url: string
    readonly request_body?: string
    readonly body?: unknown
  }>
  readonly expected: { readonly observations: ReadonlyArray<Observation> }
}

const caseOf = (plugin: string): Case =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${plugin}/ok.json`, import.meta.url), "utf8"))

/** Which answer each network's figure is read from: its address, and a part of what was posted there. */
const answerOf: Readonly<Record<string, readonly [url: string, posted?: string]>> = {
  FIL: ["https://api.node.glif.io/rpc/v1"],
  SC: ["https://api.siascan.com/metrics/block"],
  DBC: ["https://httpinfo.dbcwallet.io"],
  OCEAN: ["https://analytics.oncompute.ai/global-stats"],
  STOS: ["https://rest.thestratos.org/stratos/pot/v1/metrics"],
  TIG: ["https://mainnet-api.tig.foundation/get-block"],
  BZZ: ["https://gnosis-rpc.publicnode.com/", "eth_call"],
  GEOD: ["https://polygon-bor-rpc.publicnode.com/", "eth_call"],
  LPT: ["https://arbitrum-one-rpc.publicnode.com/", "0x9ae6309a"],
  ARKEO: ["https://rest-seed.arkeo.network/arkeo/contracts?pagination.limit=500"],
  KYVE: ["https://api.kyve.network/kyve/query/v1beta1/funders?pagination.limit=500"],
  LAVA: ["https://lava-rest.publicnode.com/lavanet/lava/rewards/block_reward"],
  NYM: [
    "https://api.nymtech.net/cosmwasm/wasm/v1/contract/n17srjznxl9dvzdkpwpw24gg668wc73val88a6m5ajg6ankwvz9wtst0cznr/smart/eyJnZXRfcmV3YXJkaW5nX3BhcmFtcyI6e319"
  ],
  JKL: ["https://api.jackalprotocol.com/cosmos/mint/v1beta1/params"],
  FLUX: ["https://api.runonflux.io/daemon/getblocksubsidy"],
  ALEPH: ["https://api2.aleph.im/api/v0/costs?include_details=0"],
  GLM: ["https://api2.stats.golem.network/v1/network/earnings/overviewnew"]
}

/** The item of a chain's storage that a network's figure is. */
const itemOf: Readonly<Record<string, readonly [url: string, key: string]>> = {
  AI3: [
    "https://rpc.mainnet.autonomys.xyz",
    "0x540a4f8754aa5298a3d6e9aa09e93f970094ed11a4fa1515abfc26aca89ae4eb"
  ],
  AVAIL: [
    "https://mainnet-rpc.avail.so/rpc",
    "0x5f3e4907f716ac89b6347d15ececedca7e6ed2ee507c7b4441d59e4ded44b8a201cb83c98894587f48030000"
  ],
  CERE: [
    "https://rpc.mainnet.cere.network",
    "0x5f3e4907f716ac89b6347d15ececedca7e6ed2ee507c7b4441d59e4ded44b8a23e63b449230380239b080000"
  ],
  PEAQ: [
    "https://erpc-mpfn1.peaq.network",
    "0x635aa23890f1d97585362fec6f14e76cc2ad8813901dcccdf6f4b6ce11257734"
  ]
}

/** A node's answer for one item, made of the one for several that is recorded. */
const itemAnswer = (exchanges: Case["exchanges"], [url, key]: readonly [string, string]) => {
  const recorded = exchanges.find((one) => one.url === url && one.request_body?.includes(key))
  const { result } = (recorded?.body ?? { result: [] }) as {
    readonly result: ReadonlyArray<{ readonly changes: ReadonlyArray<readonly [string, string]> }>
  }
  return {
    url,
    request_body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "state_getStorage", params: [key] }),
    body: { jsonrpc: "2.0", id: 1, result: new Map(result.flatMap(({ changes }) => changes)).get(key) }
  }
}

const manifests = plugins.flatMap(({ manifest }) => (used.some((id) => id === manifest.id) ? [manifest] : []))

layerNeeding("python")(Service.layer({ manifests }))("a foreign program", (it) => {
  it.effect("works out what twenty-one networks earned and paid out, from their pages of method alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 9))
      const cases = used.map((plugin) => ({ plugin, ...caseOf(plugin) }))
      const recorded = cases.flatMap(({ exchanges }) => exchanges)
      const items = Object.entries(itemOf).map(
        ([symbol, item]) => [symbol, itemAnswer(recorded, item)] as const
      )
      const exchanges = [...recorded, ...items.map(([, answer]) => answer)]
      const answers = new Map([
        ...items,
        ...Object.entries(answerOf).map(
          ([symbol, [url, posted = ""]]) =>
            [
              symbol,
              exchanges.find((one) => one.url === url && (one.request_body ?? "").includes(posted)) ??
                assert.fail(`no answer of ${symbol}`)
            ] as const
        )
      ])
      const rows = cases.flatMap(({ expected, plugin }) =>
        expected.observations
          .filter(({ metric, symbol }) => answers.has(symbol) && /^(earned|paid_out)_/.test(metric))
          .map((row) => ({ plugin, row }))
      )
      assert.isAtLeast(rows.length, 20)
      yield* (yield* Current).apply(
        rows.map(({ plugin, row }, n) => {
          const exchange = answers.get(row.symbol)
          const posted = exchange?.request_body
          return latestRow(9000 + n, {
            ...row,
            plugin,
            value_text: row.value_text ?? null,
            as_of: new Date(Date.UTC(2026, 10, 22, 8)),
            read_url:
              posted === undefined ? (exchange?.url ?? "") : `${exchange?.url}#${encodeURIComponent(posted)}`
          })
        })
      )
      const symbols = [...new Set(rows.map(({ row }) => row.symbol))]
      assert.sameMembers(symbols, [...answers.keys()])
      const pages: Record<string, string> = {}
      for (const symbol of symbols) {
        const page = yield* ask({ path: `/method/${symbol}`, headers: { accept: "text/html" } })
        assert.strictEqual(page.status, 200)
        pages[symbol] = page.body.toString("utf8")
        assert.notMatch(pages[symbol], /<dt>Not in it<\/dt><dd>Not in it/i)
      }
      const answered = exchanges.map(({ body, request_body, url }) => ({
        url,
        body,
        ...(request_body === undefined ? {} : { posted: JSON.parse(request_body) })
      }))
      const program = fileURLToPath(new URL("recompute.py", import.meta.url))
      const workedOut: Readonly<Record<string, readonly [string, string]>> = JSON.parse(
        execFileSync(pathOf("python"), [program], {
          input: JSON.stringify({ pages, answers: answered }),
          encoding: "utf8"
        })
      )
      for (const { row } of rows) {
        const [numerator = "", denominator = ""] = workedOut[`${row.symbol} ${row.metric}`] ?? []
        const [whole = "", fraction = ""] = (row.value_text ?? String(row.value)).split(".")
        const scale = 10n ** BigInt(fraction.length)
        assert.strictEqual(
          BigInt(numerator) * scale,
          BigInt(whole + fraction) * BigInt(denominator),
          `${row.symbol} ${row.metric}`
        )
      }
    })
  )
})
