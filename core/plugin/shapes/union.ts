/** The union of what several networks see, each thing counted once, and its label when some of them do not answer. */

/**
 * The label of a union: `whole` if every network answered, else one that names those that did, because the union of fewer networks
 * is another, smaller series. `live` in the order of `networks`.
 */
export const unionLabel = (
  whole: string,
  networks: ReadonlyArray<string>,
  live: ReadonlyArray<string>
): string =>
  live.length === networks.length
    ? whole
    : `${whole}_of_${live.map((name) => name.toLowerCase()).join("_and_")}`

/** Whether a label is that of a union of fewer networks than the whole. */
export const isPartOfUnion = (whole: string, label: string): boolean => label.startsWith(`${whole}_of_`)

/** Every label that a union of some of the networks can have, for `sources` of the manifest. */
export const unionLabels = (whole: string, networks: ReadonlyArray<string>): ReadonlyArray<string> =>
  groupsOf(networks)
    .filter((group) => group.length > 0 && group.length < networks.length)
    .map((group) => unionLabel(whole, networks, group))

/** Every choice of some of the names, in their order. */
const groupsOf = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const [first, ...others] = names
  if (first === undefined) return [[]]
  const groups = groupsOf(others)
  return [...groups, ...groups.map((group) => [first, ...group])]
}
