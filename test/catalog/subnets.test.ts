/** Subnets change owners: the series of each registration, and the label that tells them apart. */
import { assert, describe, it } from "@effect/vitest"
import { subnetSymbols } from "../../core/catalog/Catalog.ts"
import { registeredAt, sourceOf } from "../../core/catalog/subnets.ts"
import { isLabelled } from "../../core/plugin/Manifest.ts"

describe("the registration of a subnet", () => {
  it("is known of every subnet of the catalog", () => {
    for (const [netuid] of subnetSymbols.entries()) assert.isDefined(registeredAt(netuid), String(netuid))
    assert.isUndefined(registeredAt(subnetSymbols.length))
  })

  it("labels the series of any other registration with its block", () => {
    const block = registeredAt(51) ?? Number.NaN
    assert.strictEqual(sourceOf("subtensor_rpc", 51, block), "subtensor_rpc")
    assert.strictEqual(sourceOf("subtensor_rpc", 51, block + 1), `subtensor_rpc_${block + 1}`)
  })
})

describe("a label with a star", () => {
  it("stands for a number, and for nothing else", () => {
    assert.isTrue(isLabelled("subtensor_rpc_*", "subtensor_rpc_9736225"))
    assert.isTrue(isLabelled("plain", "plain"))
    for (const label of ["subtensor_rpc_", "subtensor_rpc_9x", "subtensor_rpc", "other_9"]) {
      assert.isFalse(isLabelled("subtensor_rpc_*", label), label)
    }
  })
})
