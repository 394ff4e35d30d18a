/** How an answer of a search is named, on a page and in the list that follows the typing. */
import type { SearchAnswer } from "../../../core/wire/data/networks.ts"
import { metricTitle } from "./format.ts"

/** `Price of Helium`. */
export const answerTitle = ({ metric, name }: Pick<SearchAnswer, "metric" | "name">): string =>
  `${metricTitle(metric)} of ${name}`

/** One line of the list, and where it leads. */
export interface Suggestion {
  readonly text: string
  readonly beside: string
  readonly address: string
}
