/** Permissions as a service starts with them: those that the demo makes up, those of a file, and none where it cannot be read. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import { products } from "../../core/products/builds.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { sourceRights } from "../../core/readings/read/sourceRights.ts"
import { Permissions } from "../../core/rights/Permissions.ts"
import { permissions } from "../../runtime/service/permitting.ts"
import { Settings } from "../../runtime/settings/Settings.ts"
import { fixtureNow, fixtureServices, setFixtureSnapshot } from "../support/fixtureRows.ts"

const folder = mkdtempSync(join(tmpdir(), "plumbline-permissions-"))
afterAll(() => rmSync(folder, { recursive: true }))

const grant = {
  feed: "defillama",
  uses: ["sell"],
  from: "2026-01-01",
  until: "2099-12-31",
  reference: "letter 7"
}

const fileOf = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** What a service of this mode has in this environment. */
const started = (mode: "live" | "replay", environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const feeds = yield* Feeds
    return yield* Effect.provide(
      Permissions,
      permissions(mode).pipe(Layer.provide(Settings.layer), Layer.provide(Layer.succeed(Feeds, feeds)))
    )
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment)))

layer(fixtureServices)("the permissions of a service", (it) => {
  const covered = Effect.fnUntraced(function* (permissionsHeld: Effect.Success<ReturnType<typeof started>>) {
    yield* TestClock.setTime(fixtureNow)
    yield* setFixtureSnapshot()
    const product = (yield* products).find(({ key }) => key === "depin_revenue_snapshot")
    return yield* Effect.provideService(
      product?.covers?.({ inputs: {} }) ?? Effect.die("no such product"),
      Permissions,
      permissionsHeld
    )
  })

  it.effect("of a demo are made up where terms say no, so that everything can be tried", () =>
    Effect.gen(function* () {
      const permissionsHeld = yield* started("replay")
      assert.isTrue(permissionsHeld.simulated)
      assert.includeMembers(
        permissionsHeld.grants.map(({ feed }) => feed),
        ["akash", "coingecko", "defillama"]
      )
      for (const { reference } of permissionsHeld.grants) assert.match(reference, /^simulated/)
      const { missing, withheld_by_rights } = yield* covered(permissionsHeld)
      assert.isUndefined(withheld_by_rights)
      assert.notInclude(missing.join(), "sold")
    })
  )

  it.effect(
    "of a demo without them, and of a live service, are none, and each product says what it is short of",
    () =>
      Effect.gen(function* () {
        for (const permissionsHeld of [
          yield* started("replay", { SIMULATED_PERMISSIONS: "false" }),
          yield* started("live"),
          yield* started("live", { SIMULATED_PERMISSIONS: "true" })
        ]) {
          assert.isFalse(permissionsHeld.simulated)
          assert.deepStrictEqual(permissionsHeld.grants, [])
          const { deliverable, missing, withheld_by_rights } = yield* covered(permissionsHeld)
          assert.isAbove(withheld_by_rights ?? 0, 0)
          // What networks say of themselves may be sold.
          assert.isUndefined(deliverable)
          assert.match(missing[0] ?? "", /do not let them be sold/)
        }
      })
  )

  it.effect("make every product whole in the demo, and without them each says what it is short of", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      const all = yield* products
      const shortOf = Effect.fnUntraced(function* (
        permissionsHeld: Effect.Success<ReturnType<typeof started>>
      ) {
        const short = new Map<string, number>()
        for (const { covers, key } of all) {
          if (covers === undefined) continue
          const { missing, withheld_by_rights } = yield* Effect.provideService(
            covers({ inputs: {} }),
            Permissions,
            permissionsHeld
          )
          if (withheld_by_rights === undefined) continue
          short.set(key, withheld_by_rights)
          assert.match(missing.join(), new RegExp(`${withheld_by_rights} series whose sources`), key)
        }
        return short
      })
      assert.deepStrictEqual([...(yield* shortOf(yield* started("replay")))], [])
      const short = yield* shortOf(yield* started("replay", { SIMULATED_PERMISSIONS: "false" }))
      assert.includeMembers(
        [...short.keys()],
        [
          "depin_revenue_snapshot",
          "depin_networks",
          "depin_provenance",
          "depin_enrichment",
          "dilution_risk_map",
          "competitive_landscape"
        ]
      )
    })
  )

  it.effect("of a file are those that it states, and none where it cannot be read or is over", () =>
    Effect.gen(function* () {
      const permissionsHeld = yield* started("live", {
        PERMISSIONS: fileOf("good.json", JSON.stringify([grant]))
      })
      const { withheld_by_rights: withheld = 0 } = yield* covered(permissionsHeld)
      const { withheld_by_rights: withheldOfAll = 0 } = yield* covered(yield* started("live"))
      assert.isBelow(withheld, withheldOfAll)
      for (const [path, why] of [
        [join(folder, "absent.json"), "the file cannot be read"],
        [fileOf("broken.json", "[{]"), "not a list of permissions"]
      ] as const) {
        const without = yield* started("live", { PERMISSIONS: path })
        assert.deepStrictEqual(without.grants, [])
        assert.include(without.unreadable, why)
        assert.isAbove((yield* covered(without)).withheld_by_rights ?? 0, 0)
      }
      const over = yield* started("live", {
        PERMISSIONS: fileOf("over.json", JSON.stringify([{ ...grant, until: "2026-01-02" }]))
      })
      assert.isAbove((yield* covered(over)).withheld_by_rights ?? 0, 0)
      const { grants } = yield* Effect.provideService(sourceRights, Permissions, over)
      assert.deepStrictEqual(
        grants.map(({ feed, state }) => [feed, state]),
        [["defillama", "expired"]]
      )
    })
  )
})
