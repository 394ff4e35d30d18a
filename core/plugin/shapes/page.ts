/** Web pages that carry their data as JSON inside a script. */
import { Effect } from "effect"
import * as Upstream from "../Upstream.ts"

/**
 * The number under a key in the data of a page, as text, or null if the page has null. Frameworks quote the JSON again
 * inside the script, so the key may have backslashes. Two different numbers under one key are `UpstreamChanged`, because
 * nothing tells which of them is meant.
 */
export const figureOn = Effect.fnUntraced(function* (url: string, key: string) {
  const answer = yield* Upstream.text(url)
  const form = new RegExp(String.raw`\\?"${key}\\?"\s*:\s*(null|\d+(?:\.\d+)?(?:[eE]\+?\d+)?)\s*[,}]`, "g")
  const figures = [...answer.body.matchAll(form)].flatMap(([, figure]) => figure ?? [])
  // By value: `1200.50` and `1200.5` are one number.
  const found = new Set(figures.map((figure) => (figure === "null" ? null : Number(figure))))
  const [figure] = figures
  if (figure === undefined) return yield* Upstream.implausible(answer, `"${key}"`, "not found on the page")
  if (found.size > 1) {
    return yield* Upstream.implausible(answer, `"${key}"`, `${found.size} different numbers on the page`)
  }
  return { ...answer, body: figure === "null" ? null : figure }
})
