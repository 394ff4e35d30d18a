/** Permissions for tests that are of something else than rights. */
import { Layer } from "effect"
import type { Use } from "../../core/plugin/Manifest.ts"
import { Permissions } from "../../core/rights/Permissions.ts"

/** As if the sources of these feeds allowed the uses. */
export const permitted = (feeds: ReadonlyArray<string>, uses: readonly [Use, ...Array<Use>]) => ({
  grants: feeds.map((feed) => ({
    feed,
    uses,
    from: "2026-01-01",
    until: "2099-12-31",
    reference: "made up by a test"
  })),
  simulated: true,
  sellUnknown: true
})

export const layerPermitted = (...options: Parameters<typeof permitted>) =>
  Layer.succeed(Permissions, permitted(...options))
