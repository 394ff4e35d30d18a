/** Five networks worked out again by a foreign program, from their pages of method and recorded answers alone. */
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

const used = ["filecoin-supply", "sia", "network-services"] as const

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

/** Which answer each network's figure is read from. */
const asked: Readonly<Record<string, string>> = {
  FIL: "https://api.node.glif.io/rpc/v1",
  SC: "https://api.siascan.com/metrics/block",
  DBC: "https://httpinfo.dbcwallet.io",
  OCEAN: "https://analytics.oncompute.ai/global-stats",
  STOS: "https://rest.thestratos.org/stratos/pot/v1/metrics"
}

const manifests = plugins.flatMap(({ manifest }) => (used.some((id) => id === manifest.id) ? [manifest] : []))

layerNeeding("python")(Service.layer({ manifests }))("a foreign program", (it) => {
  it.effect("works out what five networks earned and paid out, from their pages of method alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 9))
      const cases = used.map((plugin) => ({ plugin, ...caseOf(plugin) }))
      const exchanges = cases.flatMap(({ exchanges }) => exchanges)
      const rows = cases.flatMap(({ expected, plugin }) =>
        expected.observations
          .filter(({ metric, symbol }) => symbol in asked && /^(earned|paid_out)_/.test(metric))
          .map((row) => ({ plugin, row }))
      )
      assert.isAtLeast(rows.length, 6)
      yield* (yield* Current).apply(
        rows.map(({ plugin, row }, n) => {
          const exchange = exchanges.find(({ url }) => url === asked[row.symbol])
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
      assert.sameMembers(symbols, Object.keys(asked))
      const pages: Record<string, string> = {}
      for (const symbol of symbols) {
        const page = yield* ask({ path: `/method/${symbol}`, headers: { accept: "text/html" } })
        assert.strictEqual(page.status, 200)
        pages[symbol] = page.body.toString("utf8")
      }
      const answers = exchanges.map(({ body, request_body, url }) => ({
        url,
        body,
        ...(request_body === undefined ? {} : { posted: JSON.parse(request_body) })
      }))
      const program = fileURLToPath(new URL("recompute.py", import.meta.url))
      const found: Readonly<Record<string, readonly [string, string]>> = JSON.parse(
        execFileSync(pathOf("python"), [program], {
          input: JSON.stringify({ pages, answers }),
          encoding: "utf8"
        })
      )
      for (const { row } of rows) {
        const [numerator = "", denominator = ""] = found[`${row.symbol} ${row.metric}`] ?? []
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
