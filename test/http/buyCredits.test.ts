/** Buying with credits by forms alone, as a browser without a script does, and what is bought as files. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Product } from "../../core/credits/Product.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { tablesOf } from "../../core/products/tables.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { header, json, type Reply } from "../support/signed.ts"

let builds = 0

const products: ReadonlyArray<Product> = [
  {
    key: "node_quality_score",
    build: () =>
      Effect.sync(() => ({
        networks: [
          { symbol: "FIL", score: 1, missing_fields: [] },
          { symbol: "=HYPERLINK(1)", score: null, missing_fields: ["uptime"] }
        ],
        built: ++builds
      }))
  },
  {
    key: "competitive_landscape",
    build: () => Effect.succeed({ categories: [] })
  }
]

const form = (path: string, fields: Readonly<Record<string, string>>) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    body: new URLSearchParams(fields).toString()
  })

const textOf = ({ body }: Reply) => body.toString("utf8")

/** The hidden fields of the form on a page that is sent to this path. */
const fieldsOf = (page: string, path: string, label: string) => {
  const forms = [...page.matchAll(/<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs)]
  const [, , inner = ""] = forms.find(([all, action]) => action === path && all.includes(label)) ?? []
  assert.include(inner, label)
  return Object.fromEntries(
    [...inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name = "", value = ""]) => [name, value]
    )
  )
}

const newKey = Effect.gen(function* () {
  const reply = yield* ask({
    method: "POST",
    path: "/v1/credits/register",
    headers: { "content-type": "application/json" },
    body: "{}"
  })
  return String(json(reply)["api_key"])
})

const balanceOf = (key: string) =>
  Effect.map(ask({ path: "/v1/credits/balance", headers: { "x-api-key": key } }), (reply) =>
    Number(json(reply)["credits_balance"])
  )

layer(Service.layer({ products }))("buying with credits, without a script", (it) => {
  it.effect("says the price first, charges once it is confirmed, and once only", () =>
    Effect.gen(function* () {
      const key = yield* newKey
      const offered = textOf(
        yield* ask({ path: "/products/node_quality_score", headers: { accept: "text/html" } })
      )
      assert.include(offered, "Buy for $4.99 of credits")
      const fields = fieldsOf(offered, "/buy/credits", "Buy for $4.99 of credits")
      const reviewed = yield* form("/buy/credits", { ...fields, api_key: key })
      assert.strictEqual(reviewed.status, 200)
      assert.include(header(reviewed, "cache-control"), "no-store")
      const review = textOf(reviewed)
      for (const words of ["Nothing is charged yet", "$5.00", "$0.01", "Pay $4.99 from your credits"]) {
        assert.include(review, words)
      }
      assert.strictEqual(yield* balanceOf(key), 5, "nothing is charged by looking")

      const pay = fieldsOf(review, "/buy/credits/pay", "Pay $4.99")
      const paid = yield* form("/buy/credits/pay", pay)
      assert.strictEqual(paid.status, 200)
      assert.strictEqual(yield* balanceOf(key), 0.01)
      const again = yield* form("/buy/credits/pay", pay)
      const idOf = (reply: Reply) => /pur_[0-9a-f]{32}/.exec(textOf(reply))?.[0]
      assert.strictEqual(idOf(again), idOf(paid), "the same form is the same purchase")
      assert.strictEqual(yield* balanceOf(key), 0.01)

      const asJson = yield* form(
        "/buy/credits/file",
        fieldsOf(textOf(paid), "/buy/credits/file", "Save as JSON")
      )
      const [, hash = ""] = /<code>([0-9a-f]{64})<\/code>/.exec(textOf(paid)) ?? []
      assert.strictEqual(sha256(asJson.body), hash)
      const asCsv = yield* form(
        "/buy/credits/file",
        fieldsOf(textOf(paid), "/buy/credits/file", "Save as CSV")
      )
      assert.match(
        header(asCsv, "content-disposition"),
        /^attachment; filename="node_quality_score-networks-pur_.*\.csv"$/
      )
      assert.strictEqual(
        textOf(asCsv).trim().replaceAll("\r", ""),
        'symbol,missing_fields,score\nFIL,[],1\n\'=HYPERLINK(1),"[""uptime""]",'
      )
      const short = textOf(yield* form("/buy/credits", { ...fields, api_key: key }))
      assert.include(short, "It would be refused")
      assert.include(short, "Nothing adds credits to a key here now: no card is taken.")
      assert.notInclude(short, "Pay $4.99")
    })
  )

  it.effect(
    "charges nothing for a wrong key, an unknown product, an input that there is not, or a changed price",
    () =>
      Effect.gen(function* () {
        const key = yield* newKey
        const of = { api_key: key, product_key: "node_quality_score" }
        const refusals = [
          [{ ...of, api_key: "plk_nobody" }, 401],
          [{ ...of, product_key: "no_such" }, 400],
          [{ ...of, color: "red" }, 400]
        ] as const
        for (const [fields, status] of refusals) {
          for (const path of ["/buy/credits", "/buy/credits/pay"]) {
            const refused = yield* form(path, { ...fields, order: "one" })
            assert.strictEqual(refused.status, status, `${path} ${JSON.stringify(fields)}`)
            assert.match(header(refused, "content-type"), /^text\/html/)
          }
        }
        const cheaper = yield* form("/buy/credits/pay", { ...of, order: "two", price: "4.98" })
        assert.strictEqual(cheaper.status, 402)
        assert.strictEqual(yield* balanceOf(key), 5)
        const other = yield* form("/buy/credits/file", { api_key: key, purchase_id: `pur_${"0".repeat(32)}` })
        assert.strictEqual(other.status, 404)
      })
  )

  it.effect("gives the same table over the API, and names the tables that there are", () =>
    Effect.gen(function* () {
      const key = { "x-api-key": yield* newKey }
      const bought = json(
        yield* ask({
          method: "POST",
          path: "/v1/credits/purchase",
          headers: { ...key, "content-type": "application/json" },
          body: JSON.stringify({ product_key: "node_quality_score" })
        })
      )
      const path = `/v1/credits/purchases/${bought["purchase_id"]}?format=csv`
      const reply = yield* ask({ path, headers: key })
      assert.strictEqual(header(reply, "content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(header(reply, "x-service-tables"), "networks")
      assert.match(textOf(reply), /^symbol,missing_fields,score/)
      const wrong = yield* ask({ path: `${path}&table=none`, headers: key })
      assert.deepInclude(json(wrong), { status: 400, field: "table", valid_values: ["networks"] })
    })
  )
})

describe("the tables of a payload", () => {
  it("are its lists, with what names an inner list; series are days; a payload without lists is a row", () => {
    const tables = tablesOf({
      generated_utc: "now",
      methodology: { rules: [{ a: 1 }] },
      categories: [
        { category: "storage", hhi: 0.4, networks: [{ symbol: "FIL", of: { usd: 1 } }, { symbol: "AR" }] }
      ],
      part: { series: [{ symbol: "FIL", dates: ["2026-09-01", "2026-09-02"], values: [1, 2] }] }
    })
    assert.deepStrictEqual(
      tables.map(({ columns, name, rows }) => [
        name,
        columns,
        [...rows].map((row) => columns.map((one) => row[one]))
      ]),
      [
        ["categories", ["category", "hhi"], [["storage", 0.4]]],
        [
          "categories.networks",
          ["symbol", "categories.category", "of.usd"],
          [
            ["FIL", "storage", 1],
            ["AR", "storage", undefined]
          ]
        ],
        [
          "part.series",
          ["symbol", "date", "value"],
          [
            ["FIL", "2026-09-01", 1],
            ["FIL", "2026-09-02", 2]
          ]
        ]
      ]
    )
    const [only] = tablesOf({ regime: "calm", score: { value: 2 } })
    assert.deepStrictEqual(
      [only?.name, [...(only?.rows ?? [])]],
      ["payload", [{ regime: "calm", "score.value": 2 }]]
    )
  })
})
