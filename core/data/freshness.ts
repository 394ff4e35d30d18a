/** How old a value is, in the words of the interface (spec 2.2 and 3, design 9). */
import { Schema } from "effect"

export const Freshness = Schema.Literals(["live", "recent", "stale", "static"])
export type Freshness = typeof Freshness.Type
