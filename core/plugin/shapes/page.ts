/** Web pages that carry their data as JSON inside a script. */
import { Effect } from "effect"
import * as Upstream from "../Upstream.ts"

/**
 * The number that a page holds under a key, as text; null where it says null. A framework quotes the JSON once more inside
 * its script, so the key stands with or without backslashes. Two different numbers under one key are `UpstreamChanged`:
 * nothing tells which of them is meant.
 */
export const figureOn = Effect.fnUntraced(function* (url: string, key: string) {
  const answer = yield* Upstream.text(url)
  const form = new RegExp(String.raw`\\?"${key}\\?"\s*:\s*(null|\d+(?:\.\d+)?(?:[eE]\+?\d+)?)\s*[,}]`, "g")
  const figures = [...answer.body.matchAll(form)].flatMap(([, figure]) => figure ?? [])
  // By value: `1200.50` and `1200.5` are one number.
  const found = new Set(figures.map((figure) => (figure === "null" ? null : Number(figure))))
  const [figure] = figures
  if (figure === undefined) return yield* Upstream.implausible(answer, `"${key}"`, "not in the page")
  if (found.size > 1) {
    return yield* Upstream.implausible(answer, `"${key}"`, `${found.size} different numbers in the page`)
  }
  return { ...answer, body: figure === "null" ? null : figure }
})
