/** Longer windows of a series, with a key that stays in this tab. */
import { day } from "../../../../core/plugin/time.ts"
import type { HistorySeries } from "../../../../core/wire/data/history.ts"
import type { Point } from "../../charts/scale.ts"
import { turns } from "./newest.ts"

export interface SeriesName {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}

export interface Loaded {
  readonly series: HistorySeries
  /** What the whole answer leaves out. */
  readonly note: string | undefined
}

interface Answer {
  readonly data?: Readonly<Record<string, Readonly<Record<string, HistorySeries>>>>
  readonly note?: string
  readonly access?: { readonly note: string }
  readonly message?: string
}

/** The service reads on without a key that it cannot use, and says so first. */
const ignoredKey = ({ access }: Answer): string | undefined =>
  /^The X-API-Key you sent [^.]*\./.exec(access?.note ?? "")?.[0]

/** The series; a text says why there is none. */
export const loadHistory = async (
  { metric, source, symbol }: SeriesName,
  key: string,
  days: number
): Promise<Loaded | string> => {
  const query = new URLSearchParams({ network: symbol, metric, source, days: String(days) })
  const response = await fetch(`/v1/history?${query}`, { headers: { "x-api-key": key } })
  const answer: Answer = await response.json()
  if (!response.ok) return answer.message ?? `The service answered ${response.status}.`
  const ignored = key === "" ? undefined : ignoredKey(answer)
  if (ignored !== undefined) return ignored
  const series = answer.data?.[symbol]?.[metric]
  if (series === undefined) return "No reading in this window."
  sessionStorage.setItem("key", key)
  return { series, note: answer.note }
}

/** The days that the points span until now, at most those asked for. */
export const spanOf = (points: ReadonlyArray<Point>, now: number, days: number): number => {
  const oldest = Date.parse(`${points[0]?.date ?? ""}T00:00:00Z`)
  return Math.min(days, Math.floor(now / day) - Math.floor(oldest / day) + 1)
}

/** Shows a window that was loaded, and returns what is then said. A text says why there is none. */
type ShowWindow = (() => string) | string

/** Answers the form with the key, and shows what `load` gives, of several windows the one that was asked for last. */
export const enhanceMore = (load: (key: string, days: number) => Promise<ShowWindow>): void => {
  const form = document.querySelector<HTMLFormElement>("#more")
  if (form === null) return
  const readout = form.querySelector<HTMLElement>(".readout")
  const key = form.querySelector<HTMLInputElement>("[name=key]")
  const days = form.querySelector<HTMLSelectElement>("[name=days]")
  if (key !== null) key.value = sessionStorage.getItem("key") ?? ""
  const show = (text: string) => {
    if (readout !== null) readout.textContent = text
  }
  const takeTurn = turns()
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    const isNewest = takeTurn()
    show("Loading …")
    load(key?.value.trim() ?? "", Number(days?.value ?? 90))
      .catch(() => "The service did not answer. Try again.")
      .then((loaded) => {
        if (isNewest()) show(typeof loaded === "string" ? loaded : loaded())
      })
  })
}
