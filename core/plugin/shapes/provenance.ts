/** Where a plugin's figures come from, and what may be done with them, in a line each: evidence and terms of a manifest. */
import type { Evidence, Terms, Use } from "../Manifest.ts"

/**
 * Evidence that was read on one day: by source, the names of the members, with a comma between them. Sources have the form of
 * `Evidence.source`.
 */
export const readOn = (read: string, members: Readonly<Record<string, string>>): ReadonlyArray<Evidence> =>
  Object.entries(members).map(([source, names]) => ({ source, read, members: names.split(", ") }))

/** Terms that allow every use, such as those of data in the public domain. */
export const everyUse = { show: "yes", bulk: "yes", sell: "yes", bodies: "yes" } as const satisfies Pick<
  Terms,
  Use
>

/** Terms that forbid to hand on and to sell. Whether a single value may be shown with its source, they do not say. */
export const notHandedOn = { bulk: "no", sell: "no", bodies: "no" } as const satisfies Partial<Terms>

/** Terms as somebody read them on a day. What nobody could read is unknown, and `more` says what could be. */
export const termsOn = (
  read: string,
  attribution: string,
  more: Partial<Omit<Terms, "read" | "attribution">> = {}
): Terms => ({
  read,
  licence: "unknown",
  show: "unknown",
  bulk: "unknown",
  sell: "unknown",
  bodies: "unknown",
  attribution,
  ...more
})
