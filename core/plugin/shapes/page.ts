/** Web pages that carry their data as JSON inside a script. */
import { Effect } from "effect"
import { decimalText } from "../decimals.ts"
import * as Upstream from "../Upstream.ts"

/**
 * The number under a key in the data of a page, as text, or null if the page has null. Frameworks quote the JSON again
 * inside the script, so the key may have backslashes. Two different numbers under one key are `UpstreamChanged`, because
 * nothing tells which of them is meant.
 */
const figureIn = Effect.fnUntraced(function* (page: Upstream.Answer<string>, key: string) {
  const form = new RegExp(String.raw`\\?"${key}\\?"\s*:\s*(null|\d+(?:\.\d+)?(?:[eE]\+?\d+)?)\s*[,}]`, "g")
  const figures = [...page.body.matchAll(form)].flatMap(([, figure]) => figure ?? [])
  // By value: `1200.50` and `1200.5` are one number.
  const numbers = new Set(figures.map((figure) => (figure === "null" ? null : decimalText(figure))))
  const [figure] = figures
  if (figure === undefined) return yield* Upstream.implausible(page, `"${key}"`, "not found on the page")
  if (numbers.size > 1) {
    return yield* Upstream.implausible(page, `"${key}"`, `${numbers.size} different numbers on the page`)
  }
  return { ...page, body: figure === "null" ? null : figure }
})

/** Figures of a page that are never 0, each as text under its key; one that is not on it cannot be read. Without any, the page is another one. */
export const figuresOn = Effect.fnUntraced(function* (url: string, keys: ReadonlyArray<string>) {
  const page = yield* Upstream.text(url)
  const parts = yield* Upstream.parts(keys.map((key) => [key, positiveIn(page, key)] as const))
  const figures = parts.map(({ name, outcome }) => [
    name,
    outcome._tag === "Success" ? outcome.success.body : Upstream.unreadable(outcome.failure.detail)
  ])
  return { ...page, body: Object.fromEntries(figures) as unknown }
})

/** Like `figureIn`, for a figure that is never 0: where it is, the page was rendered without its data. */
const positiveIn = Effect.fnUntraced(function* (page: Upstream.Answer<string>, key: string) {
  const figure = yield* figureIn(page, key)
  return figure.body !== null && Number(figure.body) === 0
    ? yield* Upstream.implausible(page, `"${key}"`, "0, of what is never 0")
    : figure
})
