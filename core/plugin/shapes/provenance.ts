/** Where a plugin's figures come from, and what may be done with them, in a line each: evidence and terms of a manifest. */
import type { Evidence, Terms } from "../Manifest.ts"

/**
 * Evidence that was read on one day: by source, the names of the members, with a comma between them. Sources have the form of
 * `Evidence.source`.
 */
export const readOn = (read: string, members: Readonly<Record<string, string>>): ReadonlyArray<Evidence> =>
  Object.entries(members).map(([source, names]) => ({ source, read, members: names.split(", ") }))

/** Terms as somebody read them on a day. What nobody could read is unknown, and `more` says what could be. */
export const termsOn = (
  read: string,
  attribution: string,
  more: Partial<Omit<Terms, "read" | "attribution">> = {}
): Terms => ({ read, licence: "unknown", bodies: "unknown", values: "unknown", attribution, ...more })
