/**
 * Makes answers safe for a model to read. Texts from upstreams are untrusted: characters that could hide or reorder text
 * are removed, long texts are truncated with a note, and a key that the caller sent never appears in an answer.
 */

/** Control characters, format characters (bidirectional, zero-width, tags) and lone surrogates. */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u{e0000}-\u{e007f}]/gu

/** The JSON text with those characters as escapes. */
export const escaped = (json: string): string =>
  json.replace(unfit, (characters) =>
    characters.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  )

/** The most characters in one string of an answer by default. */
export const longestText = 2000

export interface SanitizeOptions {
  /** Keys that the caller sent. */
  readonly secrets?: ReadonlyArray<string>
  readonly longest?: number
}

const sanitizeText = (text: string, { longest = longestText, secrets = [] }: SanitizeOptions): string => {
  let plain = text.replace(unfit, (characters) =>
    characters === "\n" || characters === "\t" ? characters : ""
  )
  for (const secret of secrets) if (secret !== "") plain = plain.replaceAll(secret, "[api key]")
  const characters = plain.length > longest ? [...plain] : []
  return characters.length > longest
    ? `${characters.slice(0, longest).join("")} [${characters.length - longest} more characters left out]`
    : plain
}

/** A copy of a JSON value with every string and member name cleaned. */
export const sanitize = (value: unknown, options: SanitizeOptions = {}): unknown => {
  if (typeof value === "string") return sanitizeText(value, options)
  if (Array.isArray(value)) return value.map((item) => sanitize(item, options))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[sanitizeText(name, options), sanitize(member, options)]]
    )
  )
}
