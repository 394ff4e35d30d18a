/** Which feeds must be collected by the same process. */
import type { Manifest } from "../../core/plugin/Manifest.ts"

/**
 * Feeds that reach a common host, directly or through others, form a group: one process that collects them all keeps the
 * host's limits by itself. Groups and their feeds are sorted, so that every process makes the same ones.
 */
export const hostGroups = (
  manifests: ReadonlyArray<Pick<Manifest, "hosts" | "id">>
): ReadonlyArray<ReadonlyArray<string>> => {
  const parents = new Map<string, string>()
  const rootOf = (name: string): string => {
    const parent = parents.get(name)
    return parent === undefined ? name : rootOf(parent)
  }
  for (const { hosts, id } of manifests) {
    for (const host of hosts) {
      const [one, other] = [rootOf(`feed ${id}`), rootOf(`host ${host}`)]
      if (one !== other) parents.set(one, other)
    }
  }
  const groups = Map.groupBy(manifests.map(({ id }) => id).sort(), (id) => rootOf(`feed ${id}`))
  return [...groups.values()]
}
