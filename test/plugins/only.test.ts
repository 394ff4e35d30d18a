/** A contributor's own part of the tests. */
import { assert, describe, it } from "vitest"
import { triedOf } from "../support/onlyPlugins.ts"

const ids = ["akash", "golem", "sia"]

describe("the plugins that are tried one by one", () => {
  it("are all, or those that ONLY_PLUGINS names", () => {
    assert.deepStrictEqual(triedOf(ids, {}), ids)
    assert.deepStrictEqual(triedOf(ids, { ONLY_PLUGINS: "" }), ids)
    assert.deepStrictEqual(triedOf(ids, { ONLY_PLUGINS: "sia,akash" }), ["akash", "sia"])
  })

  it("are never none because of a name that is wrong", () => {
    assert.throws(() => triedOf(ids, { ONLY_PLUGINS: "sia,scia" }), "ONLY_PLUGINS: no plugin is named scia")
  })
})
