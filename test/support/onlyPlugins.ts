/**
 * `ONLY_PLUGINS=acme,other`: the plugins that a branch changed, for whoever waits for their tests alone. Rules that look at one plugin after
 * the other then look at these; rules over all of them still look at all.
 */

/** Of these ids those that are tried. Throws for a name that is none of them: nothing would be tried, and nothing fail. */
export const triedOf = (
  ids: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>> = process.env
): ReadonlyArray<string> => {
  const only = environment["ONLY_PLUGINS"] ?? ""
  if (only === "") return ids
  const named = only.split(",")
  const unknown = named.filter((id) => !ids.includes(id))
  if (unknown.length > 0) throw new Error(`ONLY_PLUGINS: no plugin is named ${unknown.join(", ")}`)
  return ids.filter((id) => named.includes(id))
}
