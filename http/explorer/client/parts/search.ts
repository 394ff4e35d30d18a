/** The search box as a list that follows the typing: networks, metrics of a network, and metrics of many. */
import MiniSearch from "minisearch"
import { metricTitle } from "../../html/format.ts"
import { element } from "./dom.ts"

interface Row {
  readonly symbol: string
  readonly name: string
  readonly category: string
  readonly live_series: number
  readonly metrics: ReadonlyArray<string>
}

interface Suggestion {
  readonly text: string
  readonly beside: string
  readonly address: string
}

const most = 8

const buildSearch = (rows: ReadonlyArray<Row>) => {
  const bySymbol = new Map(rows.map((row) => [row.symbol, row]))
  const counts = new Map<string, number>()
  for (const { metrics } of rows)
    for (const metric of metrics) counts.set(metric, (counts.get(metric) ?? 0) + 1)
  const options = { prefix: true, fuzzy: (term: string) => (term.length > 3 ? 0.25 : false) }
  const networks = new MiniSearch<Row>({
    idField: "symbol",
    fields: ["symbol", "name", "category"],
    searchOptions: {
      ...options,
      boost: { symbol: 3, name: 2 },
      // What is measured is looked for more often than what is only listed.
      boostDocument: (id) => 1 + Math.min(2, (bySymbol.get(String(id))?.live_series ?? 0) / 10)
    }
  })
  networks.addAll(rows)
  const metrics = new MiniSearch<{ id: string; words: string }>({
    fields: ["words"],
    searchOptions: { ...options, combineWith: "AND" }
  })
  metrics.addAll([...counts.keys()].map((id) => ({ id, words: id.replaceAll("_", " ") })))

  const ofNetwork = (query: string): ReadonlyArray<Suggestion> => {
    const [first = "", ...rest] = query.toLowerCase().split(/\s+/)
    const [best] = networks.search(first)
    const row = best === undefined || rest.length === 0 ? undefined : bySymbol.get(String(best.id))
    if (row === undefined) return []
    return row.metrics
      .filter((metric) => rest.every((word) => metric.toLowerCase().includes(word)))
      .slice(0, 4)
      .map((metric) => ({
        text: metricTitle(metric),
        beside: row.name,
        address: `/network/${encodeURIComponent(row.symbol)}/${encodeURIComponent(metric)}`
      }))
  }

  return (query: string): ReadonlyArray<Suggestion> => {
    const named = networks.search(query).flatMap(({ id }): ReadonlyArray<Suggestion> => {
      const row = bySymbol.get(String(id))
      return row === undefined
        ? []
        : [{ text: row.name, beside: row.symbol, address: `/network/${encodeURIComponent(row.symbol)}` }]
    })
    const measured = metrics.search(query).map(
      ({ id }): Suggestion => ({
        text: metricTitle(String(id)),
        beside: `${counts.get(String(id)) ?? 0} networks`,
        address: `/?q=${encodeURIComponent(String(id))}`
      })
    )
    const combined = ofNetwork(query)
    return [...combined, ...named.slice(0, combined.length > 0 ? 3 : 6), ...measured].slice(0, most)
  }
}

const load = async () => {
  const response = await fetch("/v1/symbols")
  if (!response.ok) throw new Error(`the list of symbols answered ${response.status}`)
  const { symbols }: { symbols: ReadonlyArray<Row> } = await response.json()
  return buildSearch(symbols)
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

  let loaded: ReturnType<typeof load> | undefined
  let suggestions: ReadonlyArray<Suggestion> = []
  let chosen = -1

  const close = () => {
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
  const search = async () => {
    const query = input.value.trim()
    if (query === "") return close()
    loaded ??= load()
    try {
      const find = await loaded
      if (input.value.trim() === query) show(find(query))
    } catch {
      // The form still works; the next letter retries.
      loaded = undefined
      close()
    }
  }

  input.addEventListener("focus", () => {
    loaded ??= load()
    loaded.catch(() => {
      loaded = undefined
    })
  })
  input.addEventListener("input", () => void search())
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
