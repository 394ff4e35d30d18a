/** A leaf of a payload: a value that can be changed without touching any other byte of the text. */

/** A number, text, boolean or null. */
export interface Leaf {
  /** Member names and indices from the top. */
  readonly path: ReadonlyArray<string>
  /** Where its text begins and ends (exclusive), in UTF-16 code units. */
  readonly start: number
  readonly end: number
  /** In XML: where the attribute or element is whose value it is. */
  readonly whole?: { readonly start: number; readonly end: number }
}

/** The text with one leaf replaced. */
export const replaced = (text: string, leaf: Leaf, by: string): string =>
  text.slice(0, leaf.start) + by + text.slice(leaf.end)

/** A path as JSON pointer (RFC 6901). */
export const pointer = (path: ReadonlyArray<string>): string =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
