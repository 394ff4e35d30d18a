/** The form of an API key: how one begins, what may be one, and how one is found in a text. Works in a browser too. */

/** Whose keys they are: the service's own, or those of test mode. */
export type KeyMode = "live" | "test"

const prefix = "plk_"

/** How the keys of each mode begin, so that secret scanners can find leaked ones. */
export const keyPrefixes: Readonly<Record<KeyMode, string>> = { live: prefix, test: `${prefix}test_` }

/** 32 bytes in base64url. The hyphen is escaped for the `v` flag, under which a browser reads a `pattern`. */
const secret = "[A-Za-z0-9_\\-]{43}"

/** What a key of either mode matches, for the `pattern` of an input. */
export const keyPattern = `(${keyPrefixes.live}|${keyPrefixes.test})${secret}`

/** Of different lengths, so no text is a key of both. */
const forms: Readonly<Record<KeyMode, RegExp>> = {
  live: new RegExp(`^${keyPrefixes.live}${secret}$`),
  test: new RegExp(`^${keyPrefixes.test}${secret}$`)
}

/** True for what may be a key of this mode, by its form alone. */
export const hasKeyForm = (mode: KeyMode, key: string): boolean => forms[mode].test(key)

/** Everything in a text that looks like a key of either mode, also one that was cut. */
export const keysInText = new RegExp(`${prefix}[\\w-]{8,}`, "g")
