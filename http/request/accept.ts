/** Which form of an answer a caller would rather have than JSON, where there are several. */

const types = { markdown: "text/markdown", csv: "text/csv" } as const
export type Form = keyof typeof types

/** The media types of an `Accept` header with their quality, in their order. */
const acceptedIn = (accept: string): ReadonlyArray<readonly [name: string, quality: number]> =>
  accept
    .toLowerCase()
    .split(",")
    .map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim())
      const q = parameters.find((word) => word.startsWith("q="))
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0]
    })

/**
 * The form that an `Accept` header names and prefers to JSON: by its quality, and of equal ones by its place. Undefined for JSON, and
 * for whoever takes anything.
 */
export const formIn = (accept: string | undefined): Form | undefined => {
  if (accept === undefined || accept === "*/*") return undefined
  const [best] = acceptedIn(accept)
    .filter(([name, quality]) => quality > 0 && (name === "application/json" || isOfForm(name)))
    .toSorted(([, a], [, b]) => b - a)
  return best === undefined ? undefined : forms.find((form) => types[form] === best[0])
}

const forms = Object.keys(types) as ReadonlyArray<Form>

const isOfForm = (name: string): boolean => forms.some((form) => types[form] === name)
