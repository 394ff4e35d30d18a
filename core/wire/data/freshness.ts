/** The age class of a value. */
import { Schema } from "effect"

export const Freshness = Schema.Literals(["live", "recent", "stale", "static"])
export type Freshness = typeof Freshness.Type
