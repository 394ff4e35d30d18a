/** The feeds and the series that ingest writes, as this process knows them. */
import { Context, Effect, Layer } from "effect"
import { type Rival, rivalsOf } from "../../catalog/writers.ts"
import type { Manifest } from "../../plugin/Manifest.ts"
import { Feeds } from "../Feeds.ts"
import { type Pair, pairsOf } from "../secondSources.ts"

/**
 * Rows per transaction. PGlite has a single session, and a purchase must not wait behind a long transaction. A server has
 * many, and only other writers of readings wait: nearly every run is in one there.
 */
export const chunkRows = Context.Reference<number>("core/readings/ingest/chunkRows", {
  defaultValue: () => 1000
})

/** What rows have beside names, times and values. */
export interface FirstRow {
  readonly unit: string
  readonly verify_url: string
}

export class Registry extends Context.Service<
  Registry,
  {
    /** The manifest of a feed; a feed without one is a defect. */
    readonly manifestOf: (plugin: string) => Effect.Effect<Manifest>
    /** The manifests that declare a series of this feed, too. */
    readonly rivalsOf: (plugin: string) => ReadonlyArray<Rival>
    /** Figures that two feeds give. */
    readonly pairs: ReadonlyArray<Pair>
    /** Ids of the series that were written, by `seriesKey`. */
    readonly seriesIds: Map<string, number>
    /** Unit and address of the first row of a series, by its id: a reading's own are stored where they are others. */
    readonly firstRows: Map<number, FirstRow>
    /** The code for which each feed was decided on (`confirmation.ts`), by plugin. */
    readonly decided: Map<string, string>
    /** `chunkRows`. */
    readonly chunk: number
  }
>()("core/readings/ingest/Registry") {
  static readonly layer = Layer.effect(
    Registry,
    Effect.gen(function* () {
      const { manifests } = yield* Feeds
      const byPlugin = new Map(manifests.map((manifest) => [manifest.id, manifest]))
      const rivals = new Map(manifests.map((manifest) => [manifest.id, rivalsOf(manifest, manifests)]))
      return Registry.of({
        manifestOf: (plugin) => {
          const manifest = byPlugin.get(plugin)
          return manifest === undefined
            ? Effect.die(`run of unknown feed ${plugin}`)
            : Effect.succeed(manifest)
        },
        rivalsOf: (plugin) => rivals.get(plugin) ?? [],
        pairs: pairsOf(manifests),
        seriesIds: new Map(),
        firstRows: new Map(),
        decided: new Map(),
        chunk: yield* chunkRows
      })
    })
  )
}
