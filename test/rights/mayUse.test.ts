/** What may be done with a feed's values: by its terms, by the operator's permissions, and where nobody has read anything. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Use, uses } from "../../core/plugin/Manifest.ts"
import { everyUse, notHandedOn, termsOn } from "../../core/plugin/shapes/provenance.ts"
import { mayUse, type RightsOfFeed } from "../../core/rights/mayUse.ts"
import { inForce, none, Permissions, parsePermissions } from "../../core/rights/Permissions.ts"

const feed = (terms?: Partial<ReturnType<typeof termsOn>>): RightsOfFeed => ({
  id: "acme",
  ...(terms === undefined ? {} : { terms: termsOn("2026-09-01", "Data: Acme", terms) })
})

const allowed = (of: RightsOfFeed, permissions = none) =>
  Effect.provideService(
    Effect.map(inForce, (now) => uses.filter((use) => mayUse(of, use, now))),
    Permissions,
    permissions
  )

const grant = {
  feed: "acme",
  uses: ["sell", "bulk"] as const,
  from: "2026-09-01",
  until: "2026-09-30",
  reference: "letter 7"
}

const on = (day: string) => TestClock.setTime(Date.parse(`${day}T12:00:00Z`))

describe("what may be done", () => {
  it.effect("is what the terms allow, and what nobody has read but for the answers themselves", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* allowed(feed(everyUse)), [...uses])
      assert.deepStrictEqual(yield* allowed(feed(notHandedOn)), ["show"])
      for (const of of [feed(), feed({}), undefined])
        assert.deepStrictEqual(yield* allowed(of), ["show", "bulk", "sell"])
      const careful = { ...none, sellUnknown: false }
      assert.deepStrictEqual(yield* allowed(feed({}), careful), ["show", "bulk"])
      assert.deepStrictEqual(yield* allowed(feed({ sell: "yes" }), careful), ["show", "bulk", "sell"])
    })
  )

  it.effect("is more with a permission, from its first day to its last, for its feed and uses alone", () =>
    Effect.gen(function* () {
      const permissions = { ...none, grants: [grant] }
      for (const [day, expected] of [
        ["2026-08-31", ["show"]],
        ["2026-09-01", ["show", "bulk", "sell"]],
        ["2026-09-30", ["show", "bulk", "sell"]],
        ["2026-10-01", ["show"]]
      ] as ReadonlyArray<readonly [string, ReadonlyArray<Use>]>) {
        yield* on(day)
        assert.deepStrictEqual(yield* allowed(feed(notHandedOn), permissions), expected, day)
        assert.deepStrictEqual(
          yield* allowed({ ...feed(notHandedOn), id: "other" }, permissions),
          ["show"],
          day
        )
      }
    })
  )

  it.effect("is not to hand on or to sell what may not be shown, unless a permission is to do so", () =>
    Effect.gen(function* () {
      yield* on("2026-09-02")
      const hidden = feed({ show: "no", bulk: "yes", sell: "yes", bodies: "yes" })
      assert.deepStrictEqual(yield* allowed(hidden), ["bodies"])
      assert.deepStrictEqual(yield* allowed(hidden, { ...none, grants: [{ ...grant, uses: ["sell"] }] }), [
        ...uses
      ])
    })
  )

  it("is nothing more by a file that cannot be understood, whatever else it says", () => {
    assert.deepStrictEqual(parsePermissions(JSON.stringify([grant])).grants, [grant])
    for (const wrong of [
      "",
      "{}",
      "not JSON",
      JSON.stringify([grant, { ...grant, uses: ["resell"] }]),
      JSON.stringify([grant, { ...grant, until: "2026-02-30" }]),
      JSON.stringify([grant, { ...grant, reference: "" }]),
      JSON.stringify([{ ...grant, uses: [] }])
    ]) {
      const { grants, unreadable } = parsePermissions(wrong)
      assert.deepStrictEqual(grants, [], wrong)
      assert.include(unreadable, "not a list of permissions", wrong)
    }
  })
})
