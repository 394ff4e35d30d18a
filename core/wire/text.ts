/** The form of texts that come in from outside: what can be stored, what can be shown beside others, and what is a mail address. */

/**
 * Control, format (bidirectional, zero-width), surrogate, private-use and unassigned characters, and line separators: they can
 * make two names look alike, or one log line look like two.
 */
export const unfit = /[\p{C}\p{Zl}\p{Zp}]/u

const longestMailAddress = 254

/**
 * One mail address that a mail server can take as it is: ASCII, with a domain of at least two labels whose last one is no number. So
 * neither an address of a machine nor a character that a reader does not see.
 */
const mailAddressForm =
  /^(?=.{1,64}@)[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+(\.[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+)*@([0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+[A-Za-z][0-9A-Za-z-]{0,61}[0-9A-Za-z]$/

export const isMailAddress = (text: string): boolean =>
  text.length <= longestMailAddress && mailAddressForm.test(text)

/** True if a text in a JSON value, or a name of a member, has the character NUL, which Postgres stores in no text. */
export const hasNul = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\u0000")
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([name, member]) => name.includes("\u0000") || hasNul(member))
}

/** The same of a JSON text; false if it is none, which its reader says. Most texts are only searched, and not parsed. */
export const jsonHasNul = (text: string): boolean => {
  if (!text.includes("\\u0000")) return false
  try {
    return hasNul(JSON.parse(text))
  } catch {
    return false
  }
}
