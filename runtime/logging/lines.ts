/** What is logged as one line: for people, or as JSON. Both have the same members, and a time with its date and zone. */
import { Cause, Formatter, Logger, References } from "effect"

interface Entry {
  readonly time: string
  readonly level: string
  readonly message: string
  /** Annotations of the fiber, then members of the objects that were logged, then the cause. */
  readonly fields: Readonly<Record<string, unknown>>
}

const reserved: ReadonlySet<string> = new Set(["time", "level", "message"])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

const wordsOf = (value: unknown): string =>
  typeof value === "string" ? value : value instanceof Error ? value.message : Formatter.format(value)

const entryOf = ({ cause, date, fiber, logLevel, message }: Logger.Options<unknown>): Entry => {
  const parts = [message].flat()
  const annotations = Object.assign(
    {},
    fiber.getRef(References.CurrentLogAnnotations),
    ...parts.filter(isRecord)
  ) as Record<string, unknown>
  const fields = Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [reserved.has(name) ? `${name}_` : name, value])
  )
  return {
    time: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: parts
      .filter((part) => !isRecord(part))
      .map(wordsOf)
      .join(" "),
    fields: cause.reasons.length === 0 ? fields : { ...fields, cause: Cause.pretty(cause) }
  }
}

/** Needs no quotes. */
const plain = /^[^\s"=\\\p{C}]+$/u

const quoted = (value: unknown): string => {
  const text = typeof value === "string" ? value : Formatter.formatJson(value)
  return plain.test(text) ? text : JSON.stringify(text)
}

export const text = ({ fields, level, message, time }: Entry): string =>
  [
    time,
    level.padEnd(5),
    message.replace(/\s+/g, " "),
    ...Object.entries(fields).map(([name, value]) => `${name}=${quoted(value)}`)
  ].join(" ")

export const json = ({ fields, level, message, time }: Entry): string =>
  Formatter.formatJson({ time, level, message, ...fields })

/** Writes one line for each entry. */
export const logger = (
  format: "text" | "json",
  scrub: (line: string) => string,
  write: (line: string) => void
): Logger.Logger<unknown, void> => {
  const line = format === "json" ? json : text
  return Logger.make((options) => write(`${scrub(line(entryOf(options)))}\n`))
}
