/** What collecting costs each host stays under what the host allows. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import { hosts, limitsOf } from "../../core/catalog/Hosts.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import { Upstream } from "../../core/plugin/Upstream.ts"
import { budget } from "../../runtime/contributor/check/hostBudget.ts"
import { plugins } from "../support/plugins.ts"

const manifests = plugins.map(({ manifest }) => manifest)

/** What one run asks for with the whole catalog, where every answer is the same. */
const requestsOf = (plugin: Plugin, status: number, now = Date.parse("2026-09-05T11:00:00Z")) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const { covers, settings = {} } = plugin.manifest
    const upstream = Upstream.of({
      now,
      targets: targetsOf(covers),
      settings,
      exchange: (request) => {
        urls.push(request.url)
        const body = new TextEncoder().encode("{}")
        return Effect.succeed({ request, at: now, status, headers: {}, sha256: "", body })
      }
    })
    yield* Effect.result(plugin.collect.pipe(Effect.provideService(Upstream, upstream)))
    return urls
  })

const pluginNamed = (id: string) => Effect.fromNullishOr(plugins.find(({ manifest }) => manifest.id === id))

const manifest = (more: Partial<Manifest>): Manifest => ({
  id: "sample",
  title: "Sample",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: ["api.sample.test"],
  every: "1 hour",
  metrics: {},
  grade: "A",
  owner: "plumbline",
  ...more
})

describe("the collection budget", () => {
  it("of all plugins is under each host's limits", () => {
    const over = budget(manifests).flatMap((line) => line.over.map((says) => `${line.host}: ${says}`))
    assert.deepStrictEqual(over, [])
  })

  it("knows no host that no plugin reaches", () => {
    const reached = new Set(manifests.flatMap(({ hosts }) => hosts))
    assert.deepStrictEqual(
      hosts.filter(({ host }) => !reached.has(host)).map(({ host }) => host),
      []
    )
  })

  it("adds up what several plugins ask of one host in a day", () => {
    const [line] = budget([
      manifest({ calls: 3 }),
      manifest({ id: "other", every: "15 minutes" }),
      manifest({ id: "elsewhere", hosts: ["elsewhere.test"] })
    ])
    assert.strictEqual(line?.callsPerDay, 3 * 24 + 96)
    assert.deepStrictEqual(line?.plugins, ["sample", "other"])
    assert.deepStrictEqual(line?.over, [])
  })

  it("holds a host that states nothing to our own restraint", () => {
    const [line] = budget([manifest({ every: "1 minute", calls: 2 })])
    assert.strictEqual(line?.stated, "unpublished")
    assert.deepStrictEqual(line?.over, ["2880 calls in 1 day, but only 1440 are allowed"])
  })

  it("counts a plugin of several hosts in full at each", () => {
    const lines = budget([manifest({ hosts: ["a.test", "b.test"], calls: 5 })])
    assert.deepStrictEqual(
      lines.map(({ callsPerDay }) => callsPerDay),
      [120, 120]
    )
  })

  it("sees the run that cannot end in its time at the host's pace", () => {
    const slow = manifest({ hosts: ["api.coingecko.com"], calls: 20, every: "1 day" })
    const [line] = budget([slow])
    assert.match(line?.over[0] ?? "", /^sample needs 360 s for its 20 calls/)
    assert.deepStrictEqual(budget([{ ...slow, timeout: "7 minutes" }])[0]?.over, [])
  })

  it("sees the month that is used up although each minute is not", () => {
    const [line] = budget([manifest({ hosts: ["api.coingecko.com"], calls: 4, every: "10 minutes" })])
    assert.deepStrictEqual(line?.over, ["17280 calls in 30 days, but only 10000 are allowed"])
    assert.strictEqual(line?.allowedPerDay, Math.floor(10_000 / 30))
  })

  it.effect("holds: with the whole catalog no run asks more often than its manifest says", () =>
    Effect.gen(function* () {
      for (const plugin of plugins) {
        for (const status of [200, 404]) {
          const { length } = yield* requestsOf(plugin, status)
          assert.isAtMost(length, plugin.manifest.calls ?? 1, plugin.manifest.id)
        }
      }
    })
  )

  it.effect("leaves out no network that has an id: markets in one run, repositories in one round", () =>
    Effect.gen(function* () {
      const markets = (yield* requestsOf(yield* pluginNamed("coingecko"), 404)).flatMap((url) =>
        (new URL(url).searchParams.get("ids") ?? "").split(",")
      )
      const coins = targetsOf({ catalog: "coingecko_id" }).map(({ id }) => id)
      assert.deepStrictEqual(markets.toSorted(), coins.toSorted())

      const github = yield* pluginNamed("github")
      const hours = Array.from(
        { length: 6 },
        (_, hour) => Date.parse("2026-09-05T00:00:00Z") + hour * 3_600_000
      )
      const round = (yield* Effect.forEach(hours, (now) => requestsOf(github, 404, now))).flat()
      for (const { id } of targetsOf({ catalog: "github" })) {
        assert.isTrue(
          round.some((url) => new URL(url).pathname.toLowerCase().includes(`/${id.toLowerCase()}`)),
          id
        )
      }
    })
  )

  it("names a source for every stated limit", () => {
    for (const { source } of hosts) assert.isAbove(source.length, 10)
    assert.strictEqual(limitsOf("unknown.test").stated, "unpublished")
  })
})
