/**
 * How values, times and words look on every page. It runs in a browser too, so that a script shows what the server shows.
 * What is not there is `n/a`, never 0 and never an empty cell.
 */
import type { Tier } from "../../../core/plugin/kinds.ts"
import { day, hour, minute } from "../../../core/plugin/time.ts"
import { type Unit, wordOf } from "../../../core/plugin/units.ts"
import type { TelemetryTier } from "../../../core/wire/data/networks.ts"

export const absent = "n/a"

/** A number and what it counts, apart, so that a table can align both. */
export interface FormattedValue {
  readonly before: string
  readonly number: string
  readonly unit: string
}

/** Made by the first number that needs it: a browser takes long for each, and a page needs few. */
const numberFormat = (options: Intl.NumberFormatOptions) => {
  let formatter: Intl.NumberFormat | undefined
  return (value: number): string => {
    formatter ??= new Intl.NumberFormat("en", options)
    return formatter.format(value)
  }
}

const plain = numberFormat({ maximumFractionDigits: 2 })
const small = numberFormat({ maximumSignificantDigits: 4 })
const compact = numberFormat({ notation: "compact", maximumSignificantDigits: 4 })
const scientific = numberFormat({ notation: "scientific", maximumSignificantDigits: 4 })
const exact = numberFormat({ maximumFractionDigits: 20, maximumSignificantDigits: 17 })

/** From here on a number is shown with a letter; the exact one is in its title. */
export const longest = 1e8

/** A minus sign as wide as a digit, instead of a hyphen. */
const signed = (text: string): string => text.replace(/^-/, "−")

export const formatNumber = (value: number): string => {
  const size = Math.abs(value)
  if (size >= 1e15) return signed(scientific(value)).replace("E", "e")
  if (size >= longest) return signed(compact(value))
  return signed(size !== 0 && size < 1 ? small(value) : plain(value))
}

/** A share of 0 to 1, to a tenth of a percent; one that is smaller is never said to be none. */
export const shareText = (share: number): string =>
  share > 0 && share < 0.0005 ? "under 0.1 %" : `${formatNumber(Math.round(1000 * share) / 10)} %`

/** Every digit that a double holds, grouped. */
export const formatExactly = (value: number): string => signed(exact(value))

const binary = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]

/** Bytes in the largest binary unit of which there is at least one. */
export const inBinary = (value: number): readonly [number, string] => {
  const step = value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value)) / 10)
  const at = Math.max(0, Math.min(binary.length - 1, step))
  return [value / 1024 ** at, binary[at] ?? "B"]
}

const cents = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Below a dollar, a price in whole cents is written as one. */
const isInCents = (value: number): boolean =>
  value >= 0.1 && Math.abs(value - Math.round(100 * value) / 100) < 1e-9

const dollars = (value: number): string =>
  (value >= 1 && value < 1e6) || (value < 1 && isInCents(value))
    ? cents(value)
    : value >= 1e6 && value < 1e15
      ? compact(value)
      : formatNumber(value)

export const formatValue = (value: number, unit: Unit): FormattedValue => {
  switch (unit) {
    case "bytes": {
      const [scaled, word] = inBinary(value)
      return { before: "", number: formatNumber(scaled), unit: word }
    }
    case "usd":
    case "usd_per_hour":
      return { before: value < 0 ? "−$" : "$", number: dollars(Math.abs(value)), unit: wordOf(unit) }
    case "flag":
      return { before: "", number: value === 0 ? "no" : "yes", unit: "" }
    case "date":
      return { before: "", number: String(value).replace(/^(\d{4})(\d{2})(\d{2})$/, "$1-$2-$3"), unit: "" }
    case "rank":
      return { before: "#", number: plain(value), unit: "" }
    default:
      return { before: "", number: formatNumber(value), unit: wordOf(unit) }
  }
}

/** A value with its unit in one line of text. */
export const valueText = (value: number, unit: Unit): string => {
  const { before, number, unit: word } = formatValue(value, unit)
  return `${before}${number}${word === "" ? "" : ` ${word}`}`
}

const rough = numberFormat({ notation: "compact", maximumSignificantDigits: 3 })

/** A number in three digits, from a thousand on with a letter. */
export const roughNumber = (value: number): string => signed(rough(value))

/** A sum of dollars in three digits, for a list that is read at a glance. */
export const roughDollars = (value: number): string => `${value < 0 ? "−" : ""}$${rough(Math.abs(value))}`

/** Values of one axis, each with as many decimals as the one that needs the most. */
export const axisTexts = (values: ReadonlyArray<number>, unit: Unit): ReadonlyArray<string> => {
  const texts = values.map((value) => valueText(value, unit))
  const parts = texts.map((text) => /^(\D*[\d,]+)(?:\.(\d+))?(\D*)$/.exec(text))
  const after = new Set(parts.map((part) => part?.[3]))
  // Numbers that are written in several ways, such as 999M and 1B, are not of one scale.
  if (after.size !== 1 || after.has(undefined)) return texts
  const digits = Math.max(...parts.map((part) => part?.[2]?.length ?? 0))
  return digits === 0
    ? texts
    : parts.map((part) => `${part?.[1]}.${(part?.[2] ?? "").padEnd(digits, "0")}${part?.[3]}`)
}

/** A series as an index: 100 on its first day. */
export const formatIndex = (value: number): string => signed(cents(value))

/** A relative change in percent, with its sign. */
export const formatChange = (percent: number | null | undefined): string => {
  if (percent === null || percent === undefined) return absent
  const rounded = Math.abs(percent) < 0.05 ? 0 : percent
  const digits = Math.abs(rounded) >= 100 ? 0 : 1
  return `${rounded > 0 ? "+" : rounded < 0 ? "−" : "±"}${Math.abs(rounded).toFixed(digits)} %`
}

/** An age in one unit. An upstream's clock may be ahead of ours: nothing is younger than now. */
export const formatAge = (ms: number): string => {
  if (ms < minute) return "< 1 min"
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`
  return `${plain(Math.floor(ms / day))} d`
}

/** An age as a phrase. */
export const formatAged = (ms: number): string =>
  ms < minute ? "less than 1 min old" : `${formatAge(ms)} old`

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** `5 Sep 2026` of a day `YYYY-MM-DD` or a time. */
export const formatDay = (text: string): string => {
  const [year = "", month = "", date = ""] = text.slice(0, 10).split("-")
  return `${Number(date)} ${months[Number(month) - 1] ?? month} ${year}`
}

/**
 * A sentence of the catalog without the days on which somebody searched or read after `now`: the clock of a demo stands earlier
 * than the work that went into its catalog.
 */
export const withoutLater = (text: string, now: number): string =>
  text.replace(
    / \((?:searched on|read|noted) (\d{4}-\d{2}-\d{2})\)|, (?:read|noted) (\d{4}-\d{2}-\d{2})(?=\))/g,
    (words: string, alone: string | undefined, behind: string | undefined) =>
      Date.parse(alone ?? behind ?? "") > now ? "" : words
  )

/** `5 Sep`, for an axis. */
export const formatShortDay = (text: string): string => formatDay(text).replace(/ \d{4}$/, "")

/** `5 Sep 2026, 11:42 UTC`. */
export const formatTime = (text: string): string => `${formatDay(text)}, ${text.slice(11, 16)} UTC`

const shouted = new Set([
  "a100",
  "adsb",
  "ais",
  "api",
  "ath",
  "atl",
  "avax",
  "btc",
  "ccgt",
  "cpu",
  "dk",
  "eth",
  "evm",
  "fdv",
  "fi",
  "gb",
  "gbfs",
  "gpu",
  "gps",
  "h100",
  "id",
  "ip",
  "iot",
  "k8s",
  "noaa",
  "ohlcv",
  "ram",
  "rpc",
  "rtx3090",
  "rtx4090",
  "sol",
  "ssd",
  "mw",
  "tao",
  "tfr",
  "tvl",
  "uas",
  "us",
  "usd",
  "vip",
  "vm",
  "vps"
])

/** Words that are short in names. */
const spelled: Readonly<Record<string, string>> = { adj: "adjusted", hz: "Hz", mil: "military", pct: "%" }

/** Units at the end of a name: every value says its own. */
const unitAtEnd = /(?<=[a-z\d])_(?:usd|bytes|gib|mw|hz)$/i

/** The name of a metric as words, without its unit. */
export const metricTitle = (name: string): string => {
  const title = name
    .replace(unitAtEnd, "")
    // A magnitude: `m4_5` is M4.5.
    .replace(/(?<=_)m(\d)_(\d)(?=_|$)/, "M$1.$2")
    .split("_")
    .map((word) =>
      shouted.has(word.toLowerCase()) || /^M\d\.\d$/.test(word)
        ? word.toUpperCase()
        : (spelled[word.toLowerCase()] ?? word.toLowerCase())
    )
    .join(" ")
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** The name of a metric within a sentence: only what is written in capitals keeps them. */
export const metricWords = (name: string): string =>
  metricTitle(name).replace(/^[A-Z](?![A-Z\d])/, (first) => first.toLowerCase())

/** The name of a category as words. */
export const categoryTitle = (name: string): string => (name === "ai" ? "AI" : metricTitle(name))

export const telemetryWords: Readonly<
  Record<TelemetryTier, { readonly short: string; readonly long: string }>
> = {
  first_party: { short: "First-party", long: "The network's own telemetry is measured" },
  market_only: { short: "Market only", long: "Only market, fee, holder or developer figures are measured" },
  catalog_only: { short: "Listed", long: "Listed, but not measured" }
}

export const tierWords: Readonly<Record<Tier, string>> = {
  supply_telemetry: "Supply",
  market: "Market",
  fees_tvl: "Fees and value locked",
  holders: "Holders",
  developer: "Development",
  physical: "Physical world"
}

/** The name of a sector of the physical world, or of a symbol that begins with one, as words. */
export const sectorTitle = (name: string): string =>
  metricTitle(name.replace(/^PHYSICAL_/, "").replace(/[-.]/g, "_"))
