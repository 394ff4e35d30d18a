/**
 * Faults planted in plugins: `plugin check --strict` refuses each, with the message of the rule that `npm test` runs over all plugins.
 * What the compiler and the linter say is what `npm run check` prints.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { checked } from "../../runtime/commands/checked.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { sampleTape } from "../../runtime/contributor/kit/scaffold.ts"
import { contributor } from "../support/contributor.ts"
import { byTests, wrongIn } from "../support/pluginRules.ts"

const at = Date.parse("2026-09-05T11:00:00Z")

interface Fault {
  readonly name: string
  /** The plugin is code, with this `collect` and further members of the manifest. */
  readonly collect?: string
  readonly manifest?: string
  readonly body?: unknown
  readonly change?: (source: string) => string
  /** What the check says, in part. */
  readonly says: string
}

const asCode = (id: string, collect: string, manifest = "") => `import { Schema } from "effect"
import { headline, Plugin, readOn, sumOf, Upstream } from "#plugin"
import { count, moment } from "#plugin/fields"

const Stats = Schema.Struct({ updated: moment, nodes: count })

export default Plugin.define({
  id: "${id}",
  title: "Acme",
  covers: { networks: ["STORJ"] },
  source: "${id.replaceAll("-", "_")}_stats",
  tier: "supply_telemetry",
  hosts: ["stats.example.net"],
  every: "1 hour",
  grade: "A",
  evidence: readOn("2026-09-05", { "https://acme.example/docs": "nodes, updated" }),
  owner: "acme",
  metrics: { nodes_online: headline("count", "Nodes.") },${manifest}
  collect: (observe) =>
    ${collect}
})

void [sumOf, Upstream]
`

const url = "https://stats.example.net/"
const sound =
  'Plugin.one(observe, "https://stats.example.net/", Stats, { as_of: ({ updated }) => updated }, ({ nodes }) => ({ nodes_online: nodes }))'

const faults: ReadonlyArray<Fault> = [
  {
    name: "type",
    collect: sound,
    change: (source) => `${source}\nexport const broken: number = "x"\n`,
    says: "types: index.ts:25 TS2322: Type 'string' is not assignable to type 'number'."
  },
  { name: "format", collect: sound, says: "format: index.ts format" },
  {
    name: "as-object",
    collect: sound,
    change: (source) => source.replace('headline("count", "Nodes.")', '{ unit: "count", meaning: "Nodes." }'),
    says: "source: index.ts declares a metric as an object"
  },
  {
    name: "seconds",
    collect: sound.replace("=> updated", "=> 1788605100"),
    says: "fixtures/ok: STORJ nodes_online is refused: as_of 1970-01-21T16:50:05.100Z is before 2009: seconds taken for milliseconds"
  },
  {
    name: "no-time",
    collect: sound,
    body: { nodes: 42 },
    says: "fixtures/ok: STORJ nodes_online is refused: as_of: the time that the plugin reads is not in the answer"
  },
  {
    name: "family",
    collect: sound,
    manifest: '\n  relations: [sumOf("nodes_online", ["nodes_online*"])],',
    says: "manifest: sumOf(nodes_online, nodes_online*) is a sum over a family"
  },
  {
    name: "part-missing",
    collect:
      'Plugin.one(observe, "https://stats.example.net/", Schema.Struct({ updated: moment, nodes: Schema.Number, more: Schema.optional(Schema.Number) }), { as_of: ({ updated }) => updated }, ({ nodes, more }) => ({ nodes_online: nodes + (more ?? 1) }))',
    body: { updated: "2026-09-05T10:45:00Z", nodes: 42, more: 7 },
    says: "broken payloads: /more replaced by nothing changes STORJ nodes_online from 49 to 43"
  },
  {
    name: "stuck",
    collect: sound.replace("=> updated", '=> Upstream.time("2026-09-05T10:45:00Z")'),
    says: "demo: at "
  }
]

const planted = Effect.fnUntraced(function* ({ body, change, collect = sound, manifest, name }: Fault) {
  const places = yield* contributor
  const id = `planted-${name}`
  const bytes = new TextEncoder().encode(
    JSON.stringify(body ?? { updated: "2026-09-05T10:45:00Z", nodes: 42 })
  )
  const source = asCode(id, collect, manifest)
  mkdirSync(new URL(`${id}/`, places.plugins))
  mkdirSync(join(places.fixtures, id))
  writeFileSync(new URL(`${id}/index.ts`, places.plugins), change === undefined ? source : change(source))
  const place = join(places.fixtures, id, "ok")
  const tape = sampleTape(url, bytes, at, { date: new Date(at).toUTCString() })
  yield* Fixtures.save(
    place,
    { plugin: id, origin: "written", note: "from the test of planted faults" },
    tape
  )
  const plugin = yield* Plugins.load(id, places.plugins)
  yield* Fixtures.writeExpected(place, yield* Fixtures.replay(plugin, tape))
  return { id, places, plugin, tape }
})

describe("a fault that is planted in a plugin", () => {
  it.effect.each([...faults])("is refused by the kit and by the tests with one message: $name", (fault) =>
    Effect.gen(function* () {
      const plugin = yield* planted(fault)
      const kit = wrongIn(yield* checked(plugin.id, { strict: true }, plugin.places))
      const tests = yield* byTests(plugin)
      const named = kit.filter((line) => line.startsWith(fault.says))
      assert.isNotEmpty(named, `${fault.says} is not in\n${kit.join("\n")}`)
      assert.includeMembers([...tests], named)
    })
  )
})
