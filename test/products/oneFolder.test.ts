/** A product is one folder and its line in two lists: a made-up one appears everywhere. So does a changed price. */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { cloneUrl } from "../support/database.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

const definition = `
import { Schema } from "effect"
import { head } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const MadeUp = Schema.Struct({ ...head, n_networks: Schema.Int }).annotate({ identifier: "MadeUp" })

export default define({
  key: "made_up_index",
  title: "Made-up index",
  schema: MadeUp,
  sale: { content: "Networks with a value", price: "3.21", perRequest: true, perQuery: true },
  view: { path: "/v1/made-up", title: "How many networks have a value", capability: "divergence", section: "Engines" }
})
`

const build = `
import { Effect } from "effect"
import { soldAndViewed } from "../build.ts"
import { ofValues } from "../shared/coverage.ts"
import { readings } from "../shared/inputs.ts"
import definition from "./definition.ts"

const madeUp = Effect.map(readings, ({ generated_utc, symbols }) => ({
  generated_utc,
  n_networks: symbols.length,
  methodology: { formula: "the number of symbols", fields: [], rules: [] }
}))

export default soldAndViewed(definition, madeUp, {
  covers: ofValues(() => true),
  holds: ({ n_networks }) => n_networks > 0
})
`

/** Puts an import and a member into a file of the copy. */
const listIn = (path: string, imported: string, before: string, member: string): void => {
  const source = readFileSync(path, "utf8")
  assert.include(source, before)
  writeFileSync(
    path,
    `import madeUp from "${imported}"\n${source.replace(before, `${before}\n  ${member},`)}`
  )
}

/** The sources in a folder of their own, with what is installed here. */
const copyOfTree = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-tree-"))
  const sources = (path: string) => !/\/(node_modules|dist|generated)(\/|$)/.test(path)
  for (const name of ["core", "http", "mcp", "plugins", "runtime"]) {
    cpSync(join(top, name), join(folder, name), { recursive: true, filter: sources })
  }
  for (const name of ["support", "products/oneFolder"]) {
    cpSync(join(top, "test", name), join(folder, "test", name), { recursive: true })
  }
  for (const name of ["package.json", "CHANGELOG.md"]) cpSync(join(top, name), join(folder, name))
  for (const name of ["fixtures", "node_modules"]) symlinkSync(join(top, name), join(folder, name))
  return folder
}

it.live(
  "a made-up product and a changed price appear everywhere",
  () =>
    Effect.gen(function* () {
      const folder = copyOfTree()
      const products = join(folder, "core/products")
      mkdirSync(join(products, "made_up_index"))
      writeFileSync(join(products, "made_up_index/definition.ts"), definition)
      writeFileSync(join(products, "made_up_index/build.ts"), build)
      listIn(join(products, "index.ts"), "./made_up_index/definition.ts", "definitions = [", "madeUp")
      listIn(
        join(products, "builds.ts"),
        "./made_up_index/build.ts",
        "const builds = {",
        "made_up_index: madeUp"
      )
      const pricing = join(folder, "core/credits/pricing.ts")
      const before = readFileSync(pricing, "utf8")
      writeFileSync(pricing, before.replace('price: usd("199")', 'price: usd("249")'))

      const url = yield* cloneUrl
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(
          process.execPath,
          [join(folder, "test/products/oneFolder/served.ts"), "made_up_index", "/v1/made-up"],
          { cwd: folder, env: { ...process.env, DATABASE_URL: url }, maxBuffer: 64 * 1024 * 1024 }
        )
      )
      const report = JSON.parse(stdout)

      assert.deepInclude(report.pricing.sections.made_up_index, {
        price_usd: 3.21,
        per_query_usd: 3.21,
        x402_usd: 3.21,
        content: "Networks with a value",
        status: "available"
      })
      assert.strictEqual(report.pricing.other_prices.per_query_usd["/v1/made-up"], 3.21)
      assert.deepInclude(report.operation, {
        operationId: "gated.madeUp",
        summary: "How many networks have a value",
        description: "Requires the Institutional tier or higher.",
        tags: ["Engines"]
      })
      assert.include(report.purchase, "made_up_index")
      assert.strictEqual(report.closed.how_to_unlock.product.product_key, "made_up_index")
      assert.strictEqual(report.open.n_networks, 1)
      assert.deepInclude(
        report.datasets.datasets.find(({ dataset }: { dataset: string }) => dataset === "made-up"),
        { rest: "/v1/made-up", content: "How many networks have a value", fetchable: false }
      )
      assert.strictEqual(report.fetched.answer.n_networks, 1)
      for (const page of [report.listed, report.page]) assert.include(page, "Made-up index")
      assert.include(report.page, "$3.21")
      assert.include(report.sitemap, "/products/made_up_index")

      // The price list and what a new order is charged are one constant.
      const partner = report.pricing.tiers.find(({ tier }: { tier: string }) => tier === "design_partner")
      assert.deepInclude(partner, { sku: "dp_partner_199", price_usd: 249 })
      assert.deepInclude(report.skus, ["dp_partner_199", 249_000_000])
    }),
  120_000
)
