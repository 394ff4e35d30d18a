/** What the search box offers while someone types: a page that is asked for, figures, and networks where no figure is asked for. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Searched, search } from "../../../core/readings/read/search.ts"
import { answerTitle } from "../html/answer.ts"
import { valueText } from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import type { Suggestion } from "../html/suggestion.ts"
import { metricPath, networkPath } from "../html/values.ts"

const most = 8

/** So many networks follow the figures, and figures the networks. */
const mostOfSecond = 3

const figures = ({ answers }: Searched): ReadonlyArray<Suggestion> =>
  answers.map((answer) => ({
    text: answerTitle(answer),
    beside: valueText(answer.value, answer.unit),
    address: metricPath(answer.symbol, answer.metric)
  }))

const networks = ({ networks }: Searched): ReadonlyArray<Suggestion> =>
  networks.slice(0, most).map((symbol) => ({
    text: nameOfSymbol(symbol),
    beside: symbol,
    address: networkPath(symbol)
  }))

const pages = ({ pages }: Searched): ReadonlyArray<Suggestion> =>
  pages.map(({ path, title }) => ({ text: title, beside: "page", address: path }))

export const suggestions = Effect.fn("explorer.suggestions")(function* (query: string) {
  const searched = yield* search(query)
  const [first, second] = searched.ofNetworks
    ? [networks(searched), figures(searched)]
    : [figures(searched), networks(searched)]
  const room = most - Math.min(second.length, mostOfSecond)
  const others = [...first.slice(0, room), ...second]
  const list = searched.ofPage ? [...pages(searched), ...others] : [...others, ...pages(searched)]
  return HttpServerResponse.jsonUnsafe({ suggestions: list.slice(0, most) })
})
