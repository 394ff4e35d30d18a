/** The leaves of a JSON text with their places in it, so that one can be changed and every other byte stays. */

/** A number, text, boolean or null. */
export interface Leaf {
  /** Member names and indices from the top. */
  readonly path: ReadonlyArray<string>
  /** Where its text begins and ends (exclusive), in UTF-16 code units. */
  readonly start: number
  readonly end: number
}

const scalar = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const quoted = /"(?:[^"\\]|\\.)*"/y
const blank = /[\s]*/y

/** Leaves in the order of the text; `undefined` when the text is not JSON. */
export const leaves = (text: string): ReadonlyArray<Leaf> | undefined => {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const found: Array<Leaf> = []
  let at = 0
  const take = (form: RegExp): string => {
    form.lastIndex = at
    const [taken = ""] = form.exec(text) ?? []
    at += taken.length
    return taken
  }
  // The text is known to be JSON, so that what follows needs no errors.
  const value = (path: ReadonlyArray<string>): void => {
    take(blank)
    const first = text[at]
    if (first === "{" || first === "[") {
      const close = first === "{" ? "}" : "]"
      at++
      take(blank)
      for (let index = 0; text[at] !== close; index++) {
        let name = String(index)
        if (first === "{") {
          name = JSON.parse(take(quoted)) as string
          take(blank)
          at++
        }
        value([...path, name])
        take(blank)
        if (text[at] === ",") at++
        take(blank)
      }
      at++
    } else {
      const start = at
      take(first === '"' ? quoted : scalar)
      found.push({ path, start, end: at })
    }
  }
  value([])
  return found
}

/** The text with one leaf replaced. */
export const replaced = (text: string, leaf: Leaf, by: string): string =>
  text.slice(0, leaf.start) + by + text.slice(leaf.end)

/** A path as JSON pointer (RFC 6901). */
export const pointer = (path: ReadonlyArray<string>): string =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
