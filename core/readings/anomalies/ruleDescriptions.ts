import type { AnomalyRule } from "../../wire/data/anomalies.ts"

/** What each rule says of a value, in the order in which one goes before another. */
export const ruleDescriptions: Readonly<Record<AnomalyRule, string>> = {
  zero: "it is 0, and was not on any closed day of its baseline",
  sign: "it has another sign than on every closed day of its baseline",
  fell: "it fell, although its manifest says that it never falls, or it rose on nearly every closed day before",
  unit: "it changed by about the factor between two units of the same thing, as where a unit has changed",
  source: "it left its usual distance from its other sources, and they did not follow",
  level: "it is outside of where its own closed days lead",
  peer: "it left its usual course beside the networks or places of its category",
  flat: "it is the very same value again and again, and was not before"
}
