/** The page of the watchlist: what this browser keeps, or what a link brings, with its figures. */
import { mostWatched, type Watched, watchedText } from "../html/watch.ts"
import { renderTime } from "./parts/ages.ts"
import { addCopy } from "./parts/copyButton.ts"
import { element, saveButton } from "./parts/dom.ts"
import { turns } from "./parts/newest.ts"
import { enableStars, showPressed, watchlistChanged } from "./parts/star.ts"
import {
  type Added,
  addWatched,
  emptyWatchlist,
  fullText,
  notStoredText,
  watchlist
} from "./parts/watchlist/entries.ts"
import { fileOf, linkOf, mostText, readFile, readLink } from "./parts/watchlist/exchange.ts"
import { figuresOf, type WatchedFigure } from "./parts/watchlist/figures.ts"
import { watchTable } from "./parts/watchlist/rows.ts"
import "./page.ts"
import { setMarkup } from "./parts/trusted.ts"

const find = <E extends HTMLElement>(selector: string): E => {
  const match = document.querySelector<E>(selector)
  if (match === null) throw new Error(`${selector} is not on this page`)
  return match
}

const place = find<HTMLElement>("#watched")
const offer = find<HTMLElement>("#offer")
const link = find<HTMLTextAreaElement>("#link")
const file = find<HTMLInputElement>("#file")

const say = (...parts: ReadonlyArray<Node | string>): void => find("#said").replaceChildren(...parts)

const entriesWord = (n: number): string => (n === 1 ? "1 entry" : `${n} entries`)

/** What came of adding, as a sentence for each part of it. */
const addedWords = ({ added, present, left, stored }: Added, invalid: number): string =>
  [
    stored ? `Added ${entriesWord(added)}.` : notStoredText,
    present > 0 ? `${entriesWord(present)} ${present === 1 ? "was" : "were"} on it already.` : "",
    left > 0 ? `${fullText} ${entriesWord(left)} did not fit.` : "",
    invalid > 0 ? `${entriesWord(invalid)} could not be read.` : ""
  ]
    .filter((text) => text !== "")
    .join(" ")

/** The figures that were read, by their entries: a star that is pressed asks for nothing again. */
const figures = new Map<string, WatchedFigure>()

const show = async (entries: ReadonlyArray<Watched>, isNewest: () => boolean): Promise<void> => {
  const missing = entries.filter((one) => !figures.has(watchedText(one)))
  if (missing.length > 0) {
    say("Loading …")
    place.replaceChildren()
    for (const figure of await figuresOf(missing)) figures.set(watchedText(figure.entry), figure)
    if (!isNewest()) return
  }
  const rows = entries.flatMap((one) => figures.get(watchedText(one)) ?? [])
  setMarkup(place, rows.length === 0 ? "" : String(watchTable(rows, renderTime())))
  showPressed()
}

/** What a link brings is shown, and becomes part of the list only when the reader says so. */
const showOffer = (shared: NonNullable<ReturnType<typeof readLink>>): void => {
  const own = new Set(watchlist().map(watchedText))
  const fresh = shared.entries.filter((one) => !own.has(watchedText(one))).length
  const add = element(
    "button",
    { type: "button", class: "primary" },
    `Add ${entriesWord(fresh)} to your watchlist`
  )
  add.disabled = fresh === 0
  add.addEventListener("click", () => {
    const words = addedWords(addWatched(shared.entries), shared.invalid)
    history.replaceState(null, "", "/watchlist")
    refresh(words)
  })
  const ownList = element("a", { href: "/watchlist", class: "button" }, "Show your own list")
  offer.replaceChildren(
    element(
      "p",
      {},
      `This list came with the link: ${entriesWord(shared.entries.length)}${shared.invalid > 0 ? `, and ${entriesWord(shared.invalid)} that could not be read` : ""}.${fresh === 0 ? " All of it is on your watchlist." : ""}`
    ),
    element("div", { class: "actions" }, add, ownList)
  )
}

/** Entries of a feed's address. */
const mostInFeed = 50

/** The feed of the list: its address names the entries, so that a list of none has no feed. */
const offerFeed = (entries: ReadonlyArray<Watched>): void => {
  const line = find<HTMLElement>("#morning")
  const feed = line.querySelector("a")
  line.hidden = entries.length === 0
  const symbol = entries.slice(0, mostInFeed).map(watchedText).join(",")
  if (feed !== null) feed.search = `?${new URLSearchParams({ symbol })}`
  const named = line.querySelector<HTMLInputElement>("[name=symbol]")
  if (named !== null) named.value = symbol
}

const takeTurn = turns()

/** Shows the list of the link, else that of this browser, and says `words` after it. */
const refresh = (...words: ReadonlyArray<Node | string>): void => {
  const shared = readLink(location.hash)
  const own = watchlist()
  const entries = (shared?.entries ?? own).slice(0, mostWatched)
  if (shared === undefined) offer.replaceChildren()
  else showOffer({ ...shared, entries })
  find("#none").hidden = entries.length > 0
  find("#exchange").hidden = shared !== undefined
  link.value = own.length === 0 ? "" : linkOf(own)
  offerFeed(own)
  const isNewest = takeTurn()
  show(entries, isNewest)
    .then(
      () => words,
      () => ["The service did not answer. Load the page again."]
    )
    .then((parts) => {
      if (isNewest()) say(...parts)
    })
}

const readList = async (chosen: File): Promise<string> => {
  if (chosen.size > mostText) return "This file is too large for a watchlist."
  const list = readFile(await chosen.text())
  return typeof list === "string" ? list : addedWords(addWatched(list.entries), list.invalid)
}

file.addEventListener("change", () => {
  const [chosen] = file.files ?? []
  if (chosen === undefined) return
  void readList(chosen)
    .catch(() => "This file could not be read.")
    .then((words) => {
      file.value = ""
      refresh(words)
    })
})

find<HTMLButtonElement>("#empty").addEventListener("click", () => {
  const before = watchlist()
  if (before.length === 0) return
  emptyWatchlist()
  const undo = element("button", { type: "button" }, "Put them back")
  undo.addEventListener("click", () => {
    addWatched(before)
    refresh()
  })
  refresh(`${entriesWord(before.length)} removed. `, undo)
})

find("#save").replaceWith(saveButton("Save as a file", "watchlist.json", () => fileOf(watchlist())))
addCopy(link, "the link")
// A row whose star was pressed stays until the page is loaded again, so that a slip can be undone.
document.addEventListener(watchlistChanged, () => {
  link.value = linkOf(watchlist())
  offerFeed(watchlist())
})
enableStars()
addEventListener("hashchange", () => refresh())
refresh()
