/** The comparison that this tab had last, which rows are added to. Its address is all that there is of it. */
import { letters } from "../../charts/letters.ts"
import { queryText } from "../../html/queryText.ts"

const place = "comparison"

/** Keeps the address of the comparison that is shown. */
export const storeComparison = (): void => {
  try {
    sessionStorage.setItem(place, location.search)
  } catch {
    // A browser that keeps nothing begins a comparison with each row.
  }
}

const stored = (): URLSearchParams => {
  try {
    return new URLSearchParams(sessionStorage.getItem(place) ?? "")
  } catch {
    return new URLSearchParams()
  }
}

/** The query with a series in the first free place; undefined where all are taken. */
const withSeries = (comparison: URLSearchParams, target: string): string | undefined => {
  const values = new Map(comparison)
  const isThere = letters.some((letter) => values.get(letter) === target)
  const free = letters.find((letter) => !values.has(letter))
  if (!isThere && free === undefined) return undefined
  if (!isThere && free !== undefined) values.set(free, target)
  const order = [...letters, ...[...values.keys()].filter((name) => !letters.some((one) => one === name))]
  return queryText(
    order.flatMap((name) => {
      const value = values.get(name)
      return value === undefined ? [] : [[name, value] as const]
    })
  )
}

/** Makes the links of rows add to it. A comparison that is full is left, and a new one begins. */
export const addToComparison = (): void => {
  const comparison = stored()
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-add]")) {
    const query = withSeries(comparison, link.dataset["add"] ?? "")
    if (query !== undefined) link.href = `/compare?${query}`
  }
}
