/** Where figures stand in what an upstream said. */

/**
 * `in_body`: as such, in one place, which `pointer` (RFC 6901) names in the JSON body with this hash. `several`: in more than one
 * place. `derived`: nowhere, so that it was computed. `not_looked`: a body was too large to look, or is no JSON.
 */
export type Place =
  | { readonly kind: "in_body"; readonly sha256: string; readonly pointer: string }
  | { readonly kind: "several" | "derived" | "not_looked" }

export interface Body {
  /** Of the bytes, hex. */
  readonly sha256: string
  readonly bytes: Uint8Array
}

/** Bytes of the largest body that is looked through. */
export const largestBody = 4 * 1024 * 1024

/** Lists are nested no deeper than this in any answer; deeper ones are passed over. */
const deepest = 64

type Occurrence = { readonly sha256: string; readonly pointer: string } | "several"

/** The place of each of the values. A body that is undefined was too large to be looked through. */
export const placesOf = (
  values: ReadonlySet<number>,
  bodies: ReadonlyArray<Body | undefined>
): ReadonlyMap<number, Place> => {
  const occurrences = new Map<number, Occurrence>()
  let wholly = true
  for (const body of bodies) {
    const json = body === undefined ? undefined : jsonOf(body.bytes)
    if (body === undefined || json === undefined) {
      wholly = false
      continue
    }
    const { sha256 } = body
    eachNumber(json, "", 0, (value, pointer) => {
      if (values.has(value)) occurrences.set(value, occurrences.has(value) ? "several" : { sha256, pointer })
    })
  }
  return new Map([...values].map((value) => [value, placeOf(occurrences.get(value), wholly)]))
}

const placeOf = (occurrence: Occurrence | undefined, wholly: boolean): Place => {
  if (occurrence === "several") return { kind: "several" }
  // Where a body was left out, there may be another place in it.
  if (!wholly) return { kind: "not_looked" }
  return occurrence === undefined ? { kind: "derived" } : { kind: "in_body", ...occurrence }
}

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const decimal = /^-?\d+(\.\d+)?$/

/** Numbers, and texts that are decimal numbers, as many upstreams write large ones. */
const numberOf = (value: unknown): number | undefined =>
  typeof value === "number"
    ? value
    : typeof value === "string" && decimal.test(value)
      ? Number(value)
      : undefined

const step = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

const eachNumber = (
  value: unknown,
  pointer: string,
  depth: number,
  visit: (value: number, pointer: string) => void
): void => {
  const number = numberOf(value)
  if (number !== undefined) visit(number, pointer)
  else if (typeof value === "object" && value !== null && depth < deepest)
    for (const [name, member] of Object.entries(value))
      eachNumber(member, pointer + step(name), depth + 1, visit)
}
