/** Times as upstreams write them: recognised in a payload's text, and moved in the form in which they stand there. */
import { day, minute } from "../../core/plugin/time.ts"

/**
 * A form of time text. `le-ms` is a little-endian hexadecimal number of milliseconds, as Substrate stores it; `be-s`
 * one of seconds, big-endian, as an EVM gives a block's time. `words` are year, month and day, then perhaps hour and minute, between blanks.
 */
export const forms = [
  "s",
  "ms",
  "us",
  "iso",
  "date",
  "us_date",
  "compact",
  "http",
  "le-ms",
  "be-s",
  "words"
] as const
export type TimeForm = (typeof forms)[number]

/** Where the clock of a run stood when the text was made, and where it stands now: epoch milliseconds. */
export interface Move {
  readonly from: number
  readonly to: number
  /** What the age of a time of the last day is multiplied by: less than 1 for an upstream that was slow when recorded. */
  readonly ages?: number | undefined
}

const startOfDay = (ms: number): number => Math.floor(ms / day) * day

/** Dates move by whole days, as the calendar of the run does. */
const daysOf = ({ from, to }: Move): number => startOfDay(to) - startOfDay(from)

/** The first or the last moment of a day, to the second: a time that means the day. */
export const meansDay = (at: number): boolean => at % day === 0 || at % day >= day - 1000

/** Where a time moves: with the calendar where it means a day, else by the exact difference. */
const movedTime = (at: number, move: Move): number => {
  if (meansDay(at)) return at + daysOf(move)
  const age = move.from - at
  if (move.ages === undefined || age <= 0 || age >= day) return at + (move.to - move.from)
  return move.to - Math.round(age * move.ages)
}

const isoForm = /^(\d{4}-\d{2}-\d{2})([T ])(\d{2}:\d{2})(:\d{2})?(\.\d+)?( ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$/
const dateForm = /^\d{4}-\d{2}-\d{2}$/
/** `9/5/2026`, alone or before a clock, which stays. */
const usForm = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?= |$)/
const compactForm = /^20\d{6}$/
const httpForm = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

const wordsForm = /^(20\d{2})([ \t]+\d{2})([ \t]+\d{2})([ \t]+\d{2})?([ \t]+\d{2})?$/

const offsetOf = (zone: string | undefined): number => {
  const match = /([+-])(\d{2}):?(\d{2})/.exec(zone ?? "")
  if (match === null) return 0
  const [, sign, hours, minutes] = match
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minute
}

const littleEndian = (hex: string): bigint =>
  BigInt(`0x${(hex.slice(2).match(/../g) ?? []).reverse().join("") || "0"}`)

const toLittleEndian = (value: bigint, bytes: number): string =>
  `0x${(
    value
      .toString(16)
      .padStart(bytes * 2, "0")
      .match(/../g) ?? []
  )
    .reverse()
    .join("")}`

/** Epoch milliseconds of a text in a form; undefined when it is not of that form. */
export const timeOf = (form: TimeForm, text: string): number | undefined => {
  if (form === "iso") {
    const match = isoForm.exec(text)
    if (match === null) return undefined
    const [, date, , clock, seconds = ":00", fraction = "", zone] = match
    const ms = Date.parse(
      `${date}T${clock}${seconds}${fraction.slice(0, 4).padEnd(fraction === "" ? 0 : 4, "0")}Z`
    )
    return Number.isNaN(ms) ? undefined : ms - offsetOf(zone)
  }
  if (form === "date") return dateForm.test(text) ? valid(Date.parse(text)) : undefined
  if (form === "us_date") {
    const [, month, day, year] = usForm.exec(text) ?? []
    return year === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, Number(day))
  }
  if (form === "compact") {
    if (!compactForm.test(text)) return undefined
    return valid(Date.parse(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`))
  }
  if (form === "words") {
    const [, year, month, date, hours = "00", minutes = "00"] = wordsForm.exec(text) ?? []
    if (year === undefined || month === undefined || date === undefined) return undefined
    return valid(Date.parse(`${year}-${month.trim()}-${date.trim()}T${hours.trim()}:${minutes.trim()}:00Z`))
  }
  if (form === "http") return httpForm.test(text) ? valid(Date.parse(text)) : undefined
  if (form === "le-ms") return /^0x[0-9a-f]{16}$/i.test(text) ? Number(littleEndian(text)) : undefined
  if (form === "be-s") return /^0x[0-9a-f]{8}$/i.test(text) ? Number(text) * 1000 : undefined
  if (!/^\d{9,17}(\.\d+)?$/.test(text)) return undefined
  return Number(text) * (form === "s" ? 1000 : form === "ms" ? 1 : 0.001)
}

const valid = (ms: number): number | undefined => (Number.isNaN(ms) ? undefined : ms)

/** The same text with its time moved; the text itself when it is not of the form. */
export const moved = (form: TimeForm, text: string, move: Move): string => {
  const at = timeOf(form, text)
  if (at === undefined) return text
  if (form === "date") return new Date(at + daysOf(move)).toISOString().slice(0, 10)
  if (form === "us_date") {
    const to = new Date(at + daysOf(move))
    return text.replace(usForm, `${to.getUTCMonth() + 1}/${to.getUTCDate()}/${to.getUTCFullYear()}`)
  }
  if (form === "compact") return new Date(at + daysOf(move)).toISOString().slice(0, 10).replaceAll("-", "")
  const to = movedTime(at, move)
  if (form === "words") {
    const isDay = wordsForm.exec(text)?.[4] === undefined
    const parts = new Date(isDay ? at + daysOf(move) : to).toISOString().split(/[-T:]/)
    let part = 0
    return text.replace(/\d+/g, () => parts[part++] ?? "")
  }
  if (form === "http") return new Date(to).toUTCString()
  if (form === "le-ms") return toLittleEndian(BigInt(Math.round(to)), (text.length - 2) / 2)
  if (form === "be-s") return `0x${Math.floor(to / 1000).toString(16)}`
  if (form === "iso") {
    const [, , between = "T", , seconds, fraction, zone = ""] = isoForm.exec(text) ?? []
    const [date = "", clock = ""] = new Date(to + offsetOf(zone)).toISOString().split("T")
    // Digits beyond milliseconds stay: no difference reaches them.
    const part =
      fraction === undefined ? "" : (clock.slice(8, 12) + fraction.slice(4)).slice(0, fraction.length)
    return `${date}${between}${clock.slice(0, 5)}${seconds === undefined ? "" : clock.slice(5, 8)}${part}${zone}`
  }
  const decimals = text.split(".")[1]?.length ?? 0
  const scale = form === "s" ? 1000 : form === "ms" ? 1 : 0.001
  return decimals === 0 ? String(Math.floor(to / scale)) : (to / scale).toFixed(decimals)
}

/** The form in which a text is a time near `around`: at most so many days before it, and 2 days after. */
export const formOf = (text: string, around: number, daysBefore = 40): TimeForm | undefined =>
  forms.find((form) => {
    const at = timeOf(form, text)
    return at !== undefined && at > around - daysBefore * day && at < around + 2 * day
  })

const inText =
  /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?|\d{4}-\d{2}-\d{2}|(?<![0-9a-zA-Z])\d{8,13}(?![0-9a-zA-Z])/g

/** A URL or a request's body with every time near `move.from` moved: a plugin that asks by date asks by another then. */
export const movedInText = (text: string, move: Move): string =>
  text.replace(inText, (match) => {
    const form = formOf(match, move.from)
    return form === undefined ? match : moved(form, match, move)
  })
