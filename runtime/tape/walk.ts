/** Numbers that vary: bounded, smooth, seeded noise around a base, in the number's original format. */
import { day } from "../../core/plugin/time.ts"

/** How one number walks. */
export interface Walk {
  /** `be`, `le`: a hexadecimal number of fixed width, big or little endian. Else decimal. */
  readonly form?: "be" | "le" | undefined
  /** Never falls with time. */
  readonly monotone?: boolean | undefined
  /** With `monotone`: what is left of something, which never rises. */
  readonly left?: boolean | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** How far it goes from its base, as a share; `swing` without it. */
  readonly swing?: number | undefined
  /** It is always a whole number of one over so many, as an index in thirds is. */
  readonly parts?: number | undefined
}

/** How far a number goes from its base at most, and how much one that never falls grows in 30 days. */
export const swing = 0.03
const growth = 0.01

/** FNV-1a over the code units of a seed. */
export const seedOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A number in [-1, 1) for each seed and step (a 32-bit finaliser of MurmurHash3 over both). */
const step = (seed: number, at: number): number => {
  let hash = (seed ^ Math.imul(at, 0x9e3779b1)) >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x80000000 - 1
}

/** Smooth noise in [-1, 1] with one turn of a period. */
export const wave = (seed: number, period: number, ms: number): number => {
  const place = ms / period
  const whole = Math.floor(place)
  const part = place - whole
  const eased = part * part * (3 - 2 * part)
  return step(seed, whole) * (1 - eased) + step(seed, whole + 1) * eased
}

/** Days for the trend, a quarter of it for the hours of a day. */
const noise = (seed: number, ms: number): number =>
  0.8 * wave(seed, 2 * day, ms) + 0.2 * wave(seed + 1, day / 6, ms)

/** Days that have passed, some faster than others; the noise never outruns them. */
const pace = (seed: number, ms: number): number => ms / day + 0.2 * noise(seed, ms)

/** What a base is multiplied by at `ms`; 1 at `base`, and within 1 ± 2 `swing` for one that does not only grow. */
export const factor = (walk: Walk, seed: number, base: number, ms: number): number =>
  walk.monotone === true
    ? 1 + (walk.left === true ? -1 : 1) * (growth / 30) * (pace(seed, ms) - pace(seed, base))
    : 1 + (walk.swing ?? swing) * (noise(seed, ms) - noise(seed, base))

/** Whether an item of a list is missing at `ms`: at most a tenth are, and none at `base`. */
export const isMissing = (listSeed: number, itemSeed: number, base: number, ms: number): boolean =>
  (step(itemSeed, 7) + 1) / 2 < 0.05 * Math.abs(noise(listSeed, ms) - noise(listSeed, base))

const within = (walk: Walk, value: number, base: number): number =>
  // A base outside its own bounds stays where it is: the bounds are of the walk, not of the upstream.
  Math.min(Math.max(value, Math.min(walk.min ?? -Infinity, base)), Math.max(walk.max ?? Infinity, base))

const inParts = ({ parts }: Walk, value: number): number =>
  parts === undefined ? value : Math.round(value * parts) / parts

const scale = 1_000_000_000n

const scaled = (value: bigint, by: number): bigint => (value * BigInt(Math.round(by * Number(scale)))) / scale

/** The text of a number, walked: as many decimals as it had, quoted when it was, as wide as it was in hexadecimal. */
export const walked = (walk: Walk, text: string, by: number): string => {
  if (by === 1) return text
  const quote = text.startsWith('"') ? '"' : ""
  const inner = quote === "" ? text : text.slice(1, -1)
  if (walk.form !== undefined) return `${quote}${hexadecimal(walk.form, inner, by)}${quote}`
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(inner)) return text
  const [, whole = "", fraction = ""] = /^(-?\d+)(?:\.(\d+))?$/.exec(inner) ?? []
  // More digits than a double holds: exact in whole numbers of the last place.
  if (whole.length + fraction.length > 15)
    return `${quote}${pointed(scaled(BigInt(whole + fraction), by), fraction.length)}${quote}`
  const base = Number(inner)
  const value = inParts(walk, within(walk, base * by, base))
  if (/^-?\d+$/.test(inner))
    return `${quote}${walk.monotone === true ? Math.floor(value) : Math.round(value)}${quote}`
  return `${quote}${whole === "" ? String(value) : value.toFixed(fraction.length)}${quote}`
}

/** A whole number of the last of so many decimals, with its point. */
const pointed = (value: bigint, decimals: number): string => {
  if (decimals === 0) return String(value)
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, "0")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const hexadecimal = (form: "be" | "le", text: string, by: number): string => {
  const digits = /^0x([0-9a-fA-F]+)$/.exec(text)?.[1]
  // A quantity of JSON-RPC may have an odd number of digits, so it cannot be reversed as bytes.
  if (digits === undefined || (form === "le" && digits.length % 2 === 1)) return text
  const turned = (hex: string) => (form === "be" ? hex : (hex.match(/../g) ?? []).reverse().join(""))
  const width = digits.length
  const value = scaled(BigInt(`0x${turned(digits)}`), by).toString(16)
  return value.length > width ? text : `0x${turned(value.padStart(width, "0"))}`
}
