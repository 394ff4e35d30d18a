/**
 * Four shapes of networks, from `plugin new --from` on: what a contributor corrects in each draft is to replace its marks, and the check
 * and the tests of all plugins find nothing wrong.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { checked } from "../../runtime/commands/checked.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { sampleIn } from "../../runtime/contributor/kit/sample.ts"
import { scaffold } from "../../runtime/contributor/kit/scaffold.ts"
import { contributor } from "../support/contributor.ts"
import { byTests } from "../support/pluginRules.ts"

const now = Date.parse("2026-09-05T11:00:00Z")

const shapes = [
  {
    shape: "JSON with countries",
    text: `${JSON.stringify(
      {
        data: {
          updatedAt: "2026-09-05T10:45:00Z",
          nodes: { total: 412, online: 381 },
          storage_bytes: 5210987654321153,
          regions: [
            { country: "DE", nodes: 201 },
            { country: "FR", nodes: 120 },
            { country: "US", nodes: 91 }
          ]
        }
      },
      undefined,
      2
    )}\n`,
    metrics: ["online", "nodes_country_DE", "storage_bytes"]
  },
  {
    shape: "Atom",
    text: `<?xml version="1.0"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Lakes</title><updated>2026-09-05T10:30:00Z</updated>
<entry><id>a</id><title>One</title><updated>2026-09-05T09:00:00Z</updated></entry>
<entry><id>b</id><title>Two</title><updated>2026-09-05T08:00:00Z</updated></entry></feed>
`,
    metrics: ["entry_total"]
  },
  {
    shape: "ABI",
    contract: `0x${"12".repeat(20)}`,
    text: JSON.stringify([
      {
        type: "function",
        name: "totalNodes",
        stateMutability: "view",
        inputs: [],
        outputs: [{ type: "uint256" }]
      },
      {
        type: "function",
        name: "totalSupply",
        stateMutability: "view",
        inputs: [],
        outputs: [{ type: "uint256" }]
      }
    ]),
    metrics: ["total_nodes"]
  },
  {
    shape: "lists in a list",
    text: JSON.stringify({
      timestamp: 1788605100,
      providers: [
        {
          id: "p1",
          region: "eu",
          machines: [
            { id: "m1", gpus: 8 },
            { id: "m2", gpus: 4 }
          ]
        },
        { id: "p2", region: "us", machines: [{ id: "m3", gpus: 2 }] }
      ]
    }),
    metrics: ["providers_total", "machines_total", "gpus_sum"]
  }
] as const

describe("a network of another shape", () => {
  it.effect.each([...shapes])("is green on the first try: $shape", (it) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const places = yield* contributor
      const draft = `first-${it.shape.toLowerCase().split(" ")[0]}`
      const id = `${draft}-own`
      const url = `https://stats.${draft}.example.org/v1/summary`
      const file = join(places.fixtures, "answer")
      writeFileSync(file, it.text)
      const contract = "contract" in it ? it.contract : undefined
      const sample = yield* sampleIn(file, { contract, id: draft, url })
      yield* scaffold(
        { id: draft, symbol: "PHYS_LAKES", title: "Acme", url, sector: "PHYSICAL_FLOOD" },
        places,
        sample
      )

      // Under another id, for modules are imported once.
      renameSync(new URL(`${draft}/`, places.plugins), new URL(`${id}/`, places.plugins))
      renameSync(join(places.fixtures, draft), join(places.fixtures, id))

      // What a contributor says instead of the marks.
      const index = new URL(`${id}/index.ts`, places.plugins)
      const corrected = readFileSync(index, "utf8")
        .replace(`id: "${draft}"`, `id: "${id}"`)
        .replace(/^\/\/ scaffold example: .*\n/gm, "")
        .replace(/ {2}disabled: .*\n/, "")
        .replace('grade: "C"', 'grade: "A"')
        .replace(/"scaffold example: owner.*?"/, '"https://acme.example/docs/api"')
        .replace('owner: "you"', 'owner: "acme"')
        .replaceAll("scaffold example: ", "")
      writeFileSync(index, corrected)
      const readme = new URL(`${id}/README.md`, places.plugins)
      writeFileSync(readme, readFileSync(readme, "utf8").replace(/\(scaffold example.*\)/, "Of Acme."))
      for (const name of readdirSync(join(places.fixtures, id)).filter((name) => name.endsWith(".json"))) {
        const place = join(places.fixtures, id, name)
        writeFileSync(
          place,
          readFileSync(place, "utf8")
            .replace(`"plugin": "${draft}"`, `"plugin": "${id}"`)
            .replaceAll("scaffold example: ", "by the test: ")
        )
      }

      const plugin = yield* Plugins.load(id, places.plugins)
      const { tape } = yield* Fixtures.load(join(places.fixtures, id, "ok"))
      const rows = yield* Fixtures.replay(plugin, tape)
      assert.includeMembers(
        "observations" in rows ? rows.observations.map(({ metric }) => metric) : [rows.message],
        [...it.metrics]
      )
      const findings = yield* checked(id, { strict: true }, places)
      assert.deepStrictEqual(
        findings.filter(({ level }) => level !== "note"),
        [],
        corrected
      )
      assert.deepStrictEqual(yield* byTests({ id, places, plugin, tape }), [])
    })
  )
})
