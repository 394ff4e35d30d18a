/** The sources that a payload names. */

/** The labels that stand as `source`, or under a name that ends in `_source`, anywhere in a value. */
export const sourcesIn = (value: unknown, sources: Set<string> = new Set()): ReadonlySet<string> => {
  if (Array.isArray(value)) for (const one of value) sourcesIn(one, sources)
  else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === "object") sourcesIn(member, sources)
      else if (typeof member === "string" && (name === "source" || name.endsWith("_source")))
        sources.add(member)
    }
  return sources
}
