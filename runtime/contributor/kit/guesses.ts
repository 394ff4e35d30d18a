/** What the name and the value of a member say about its unit. All of it is a guess that a person has to correct. */
import type { Unit } from "../../../core/plugin/Value.ts"

/** A metric as its member's name suggests it. */
export interface Guess {
  readonly metric: string
  readonly unit: Unit
  /** The helper that decodes the member. */
  readonly field: "count" | "quantity" | "number" | "amount"
  /** By what the value is multiplied to be in the unit. */
  readonly factor?: number
  /** Decimals of an amount in base units. */
  readonly decimals?: number
}

const wordsIn = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** A member's name as part of a metric's: `nodesOnline` is `nodes_online`. */
export const snake = (name: string): string => wordsIn(name).join("_")

/** Names of what is no figure: identities, places, versions, and what turns pages. */
const noFigure =
  /^(id|uid|uuid|version|ver|port|lat|lng|lon|latitude|longitude|year|month|code|status|page|pages|per_page|page_size|limit|offset|cursor|next|prev|index|success|ok|timestamp|time|date|nonce)$|_(id|at|time|timestamp|date|code|version|port|index|page)$/

/** Names that mean that an answer is a part of a list. */
export const turnsPages =
  /^(next|cursor|page|pages|total_pages|has_more|has_next|offset|limit|per_page|page_size|next_page(_token)?|pagination)$/

const multiples: Readonly<Record<string, number>> = Object.fromEntries(
  ["k", "m", "g", "t", "p"].flatMap((letter, at) => [
    [`${letter}b`, 1000 ** (at + 1)],
    [`${letter}ib`, 1024 ** (at + 1)]
  ])
)

const units: ReadonlyArray<readonly [words: RegExp, unit: Unit]> = [
  [/^(bytes?)$/, "bytes"],
  [/^(usd|dollars?|tvl|revenue|price|mcap|marketcap)$/, "usd"],
  [/^(percent|percentage|pct|ratio|share|utilization|utilisation|uptime|apr|apy)$/, "percent"],
  [/^(height|block)$/, "block"],
  [
    /^(supply|stakes?|staked|tokens?|burned|burnt|minted|rewards?|emissions?|balance|bonded|delegated|fees?)$/,
    "tokens"
  ],
  [/^(v?cpus?|cores?)$/, "cores"],
  [/^hours?$/, "hours"],
  [/^hz$/, "hz"],
  [/^mw$/, "mw"],
  [/^rank$/, "rank"],
  [/^score$/, "score"]
]

const unitOf = (words: ReadonlyArray<string>): Unit | undefined =>
  // The last words of a name say what it is.
  words.toReversed().flatMap((word) => units.find(([form]) => form.test(word))?.[1] ?? [])[0]

const isInteger = (value: number | string): boolean => /^-?\d+$/.test(String(value))

/** The largest number of tokens that is not taken for base units. */
const mostDigits = 15

/** A guess about a number, or about a decimal text; undefined for what is no figure. */
export const guess = (name: string, value: number | string): Guess | undefined => {
  const words = wordsIn(name)
  const metric = words.join("_")
  const isDecimal = typeof value === "number" || /^-?\d+(\.\d+)?$/.test(value)
  if (!isDecimal || noFigure.test(metric) || !/^[a-z]/.test(metric)) return undefined
  const number = Number(value)
  const factor = multiples[words.at(-1) ?? ""]
  if (factor !== undefined && number >= 0) {
    return { metric: [...words.slice(0, -1), "bytes"].join("_"), unit: "bytes", field: "quantity", factor }
  }
  const unit =
    unitOf(words) ?? (isInteger(value) ? (Number.isSafeInteger(number) ? "count" : "tokens") : "score")
  if (unit === "tokens") {
    const digits = String(value).replace(/\D.*$/, "").length
    if (!isInteger(value) || digits <= mostDigits) return { metric, unit, field: "amount" }
    return { metric, unit, field: "amount", decimals: digits > 18 ? 18 : 9 }
  }
  if (unit === "percent") {
    const named = metric.replace(/_pct$/, "_percent").replace(/^pct$/, "percent")
    if (number < 0 || number > 100)
      return { metric: named.replace(/_?percent$/, "") || "score", unit: "score", field: "number" }
    const isShare = number <= 1 && !words.some((word) => /^(percent|percentage|pct)$/.test(word))
    return { metric: named, unit, field: "quantity", ...(isShare ? { factor: 100 } : {}) }
  }
  if (number < 0) return { metric, unit: "score", field: "number" }
  if (unit === "count" || unit === "block" || unit === "rank") {
    return isInteger(value) ? { metric, unit, field: "count" } : { metric, unit: "score", field: "quantity" }
  }
  return {
    metric: unit === "usd" && words.at(-1) === "price" ? `${metric}_usd` : metric,
    unit,
    field: "quantity"
  }
}
