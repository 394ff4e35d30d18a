/** The stars of a page: each adds to the watchlist of this browser, or takes from it. */
import { watchedOf, watchedText } from "../../html/watch.ts"
import { element } from "./dom.ts"
import { addWatched, fullText, notStoredText, removeWatched, watchlist } from "./watchlist/entries.ts"

/** Presses the stars of what is watched. */
export const showPressed = (): void => {
  const texts = new Set(watchlist().map(watchedText))
  for (const star of document.querySelectorAll<HTMLElement>("button.star"))
    star.setAttribute("aria-pressed", String(texts.has(star.dataset["watch"] ?? "")))
}

/** What a press did: undefined where the star says all. */
const toggle = (star: HTMLElement): ReadonlyArray<Node | string> => {
  const text = star.dataset["watch"] ?? ""
  const entry = watchedOf(text)
  if (entry === undefined) return []
  if (star.getAttribute("aria-pressed") === "true") {
    removeWatched(text)
    return []
  }
  const { left, stored } = addWatched([entry])
  if (left > 0) return [fullText]
  if (!stored) return [notStoredText]
  return star.matches(".row")
    ? []
    : ["It is on ", element("a", { href: "/watchlist" }, "your watchlist"), "."]
}

/** One line for the page, which moves to the star that was pressed. */
const statusLine = element("span", { class: "copied quiet", role: "status" })

export const enableStars = (): void => {
  // One listener for all stars: some are made later.
  document.addEventListener("click", ({ target }) => {
    const star = target instanceof Element ? target.closest<HTMLElement>("button.star") : null
    if (star === null) return
    const words = toggle(star)
    if (star.isConnected) star.after(statusLine)
    statusLine.replaceChildren(...words)
    showPressed()
    document.dispatchEvent(new CustomEvent(watchlistChanged))
  })
  // Another tab has changed the list, or this page comes back as it was left.
  addEventListener("storage", () => {
    showPressed()
    document.dispatchEvent(new CustomEvent(watchlistChanged))
  })
  addEventListener("pageshow", showPressed)
  showPressed()
}

/** What the document is told when the list of this browser has become another. */
export const watchlistChanged = "watchlist"
