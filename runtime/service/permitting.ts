/** What may be done with each feed's values: the operator's permissions, or those that the demo makes up. */
import { readFile } from "node:fs/promises"
import { Effect, Layer, Option, Result } from "effect"
import { type Manifest, uses } from "../../core/plugin/Manifest.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { statedOf } from "../../core/rights/mayUse.ts"
import { type Grant, Permissions, parsePermissions } from "../../core/rights/Permissions.ts"
import { Settings } from "../settings/Settings.ts"

/** Without an end: the demo's clock is in the past. */
const [from, until] = ["2026-01-01", "2099-12-31"]

/** What the demo makes up: a yes wherever the terms say no. */
const simulatedFor = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Grant> =>
  manifests.flatMap((manifest) => {
    const [first, ...others] = uses.filter((use) => statedOf(manifest, use) === "no")
    return first === undefined
      ? []
      : [{ feed: manifest.id, uses: [first, ...others], from, until, reference: "simulated: nobody gave it" }]
  })

/** The permissions of a file. One that cannot be read gives none, and says so. */
const readPermissions = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.result(
    Effect.tryPromise({
      try: () => readFile(path, "utf8"),
      catch: (error) => (error instanceof Error ? error.message : String(error))
    })
  )
  const parsed = Result.isSuccess(text)
    ? parsePermissions(text.success)
    : { grants: [], unreadable: `the file cannot be read: ${text.failure}` }
  if (parsed.unreadable !== undefined)
    yield* Effect.logError(`PERMISSIONS: ${parsed.unreadable}. No permission is in force.`)
  return parsed
})

/** The replay has a file's permissions if there is one, else its own, unless it is to play without them. */
export const permissions = (mode: "live" | "mapped" | "replay") =>
  Layer.effect(
    Permissions,
    Effect.gen(function* () {
      const { permissions: file, sellUnknownRights: sellUnknown, simulatedPermissions } = yield* Settings
      if (Option.isSome(file))
        return { ...(yield* readPermissions(file.value)), simulated: false, sellUnknown }
      const isSimulated = mode === "replay" && simulatedPermissions
      const manifests = isSimulated ? (yield* Feeds).manifests : []
      return { grants: simulatedFor(manifests), simulated: isSimulated, sellUnknown }
    })
  )
