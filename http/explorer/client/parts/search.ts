/** The search box as a list that follows the typing: figures, networks and metrics, as the search of the service ranks them. */
import type { Suggestion } from "../../html/suggestion.ts"
import { element } from "./dom.ts"
import { turns } from "./newest.ts"

/** How long a pause in the typing asks, in milliseconds. */
const pause = 120

const fetchSuggestions = async (query: string): Promise<ReadonlyArray<Suggestion>> => {
  const response = await fetch(`/suggestions?q=${encodeURIComponent(query)}`)
  if (!response.ok) throw new Error(`the search answered ${response.status}`)
  const { suggestions }: { suggestions: ReadonlyArray<Suggestion> } = await response.json()
  return suggestions
}

export const enhanceSearch = (): void => {
  const input = document.querySelector<HTMLInputElement>(".search input")
  const form = input?.form
  if (input === null || form === null || form === undefined) return
  const list = element("ul", { class: "found", id: "found", role: "listbox", "aria-label": "Results" })
  list.hidden = true
  form.append(list)
  input.setAttribute("role", "combobox")
  input.setAttribute("aria-autocomplete", "list")
  input.setAttribute("aria-controls", "found")
  input.setAttribute("aria-expanded", "false")

  const takeTurn = turns()
  let waiting: number | undefined
  let suggestions: ReadonlyArray<Suggestion> = []
  let chosen = -1

  const close = () => {
    // What was asked for before opens no list that was closed since.
    clearTimeout(waiting)
    takeTurn()
    list.hidden = true
    chosen = -1
    input.setAttribute("aria-expanded", "false")
    input.removeAttribute("aria-activedescendant")
  }
  const choose = (place: number) => {
    chosen = place
    for (const [n, item] of [...list.children].entries()) {
      item.setAttribute("aria-selected", String(n === place))
      if (n === place) item.scrollIntoView({ block: "nearest" })
    }
    if (place < 0) input.removeAttribute("aria-activedescendant")
    else input.setAttribute("aria-activedescendant", `found-${place}`)
  }
  const go = (suggestion: Suggestion | undefined) => {
    if (suggestion !== undefined) location.assign(suggestion.address)
  }
  const show = (results: ReadonlyArray<Suggestion>) => {
    suggestions = results
    list.replaceChildren(
      ...results.map(({ beside, text }, n) => {
        const item = element("li", { role: "option", id: `found-${n}`, "aria-selected": "false" })
        item.append(element("span", {}, text), element("span", { class: "quiet" }, beside))
        item.addEventListener("mousedown", (event) => {
          event.preventDefault()
          go(suggestions[n])
        })
        return item
      })
    )
    list.hidden = results.length === 0
    input.setAttribute("aria-expanded", String(results.length > 0))
    choose(-1)
  }
  const search = async (isNewest: () => boolean) => {
    const query = input.value.trim()
    if (query === "") return close()
    try {
      const results = await fetchSuggestions(query)
      if (isNewest()) show(results)
    } catch {
      // The form still works; the next letter asks again.
      if (isNewest()) close()
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(waiting)
    const isNewest = takeTurn()
    waiting = window.setTimeout(() => void search(isNewest), pause)
  })
  input.addEventListener("blur", close)
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close()
    if (list.hidden) return
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault()
      const step = event.key === "ArrowDown" ? 1 : -1
      choose(
        chosen < 0 && step < 0
          ? suggestions.length - 1
          : (chosen + step + suggestions.length) % suggestions.length
      )
    }
    if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault()
      go(suggestions[chosen])
    }
  })
  addEventListener("keydown", (event) => {
    const target = event.target
    const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      input.focus()
    }
  })
}
