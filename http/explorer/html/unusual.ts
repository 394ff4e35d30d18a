/** How values are found unusual, with every formula and constant: whoever has the leaves can repeat it. */
import { constants } from "../../../core/readings/anomalies/constants.ts"
import { ruleDescriptions } from "../../../core/readings/anomalies/ruleDescriptions.ts"
import { smallestMove, unitFactors, unitTolerance } from "../../../core/readings/ingest/compare/scale.ts"
import { AnomalyRule, findingMeaning } from "../../../core/wire/data/anomalies.ts"
import { html } from "./markup.ts"

/** A power of 10 from a million on as such, a power of 1,024 as what it is, else the number. */
const factorWords = (factor: number): string => {
  const tens = Math.log10(factor)
  const steps = Math.log2(factor) / 10
  if (Number.isInteger(tens) && tens >= 6) return `10^${tens}`
  return Number.isInteger(steps) && steps > 1 ? `1,024^${steps}` : factor.toLocaleString("en")
}

const listOf = (words: ReadonlyArray<string>): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const formulas: Readonly<Record<AnomalyRule, string>> = {
  zero: "Not said where the manifest allows 0.",
  sign: "And the move is unusual in its own unit, by the test above.",
  fell: `Without such a manifest: it rose on ${100 * constants.risingShare} % of at least ${constants.fewestRises} days and fell on none, it is below its second highest value, and the move is unusual.`,
  unit: `As level, where the factor or its inverse is within ${100 * unitTolerance} % of ${listOf(unitFactors.map(factorWords))}.`,
  source:
    "The test, put to its distance from the median of its other sources. Only of the side that moved more.",
  level: `The test, put to the values themselves. Not said where at least ${constants.fewestPeers} series of its category moved alike, or the manifest allows a rise.`,
  peer: `The test, put to the values less the sum of the median moves of its category, of at least ${constants.fewestPeers} series, one for each network. Only of proportions and percentages.`,
  flat: `If r of the n moves in the ${constants.window} days before the standstill were none, it repeats with p = (r + 1) / (n + 2) (Laplace). Said on the day on which p to the power of the repeats falls below ${constants.repeats}, if the standstill is no longer than ${constants.window} days then.`
}

/** A clause as a sentence. */
export const sentence = (clause: string): string => `${clause[0]?.toUpperCase()}${clause.slice(1)}.`

export const unusualValues = html`<section aria-labelledby="anomalies"><h2 id="anomalies">Unusual values</h2>
<p>After a day is closed, each of its values is judged by rules, beside the ${constants.window} days before it. <a href="/anomalies">The findings of the week</a> are a list of their own. ${findingMeaning} A value has one finding, of the first rule below that holds; a revised value is judged again, and a revision of the days before it changes nothing. Only leaves count, so you can repeat it from <a href="/v1/archive/">the archive</a>.</p>
<p>One test is behind most rules. Moves are differences of logarithms where values have ratios and are above 0, else differences in the unit; ranks, flags and dates have none. The usual move is the median of the moves before, and the spread is ${constants.consistency} times their median absolute deviation, at least ${constants.leastRatio} of the value (of percentages ${constants.leastPoints} points). The score is the distance of the move from the usual one in spreads. The expected range reaches ${constants.deviations} spreads from where the usual move leads, or ${constants.beyondLargest} times the third largest move before, whichever is more; it also holds everything between the second lowest and the second highest value of the days before. A value outside of it is unusual. Fewer than ${constants.fewest} moves say nothing, and days count back to a gap of more than ${constants.longestGap}. Of what is counted one by one, a move by fewer than ${smallestMove} says nothing.</p>
<dl class="facts">${AnomalyRule.literals.map((rule) => html`<dt><code>${rule}</code></dt><dd>${sentence(ruleDescriptions[rule])} ${formulas[rule]}</dd>`)}</dl>
</section>`
