/** Names of members in a JSON text. Of two members of one name, parsers take the last, the first, or fail. */
import { Decimal } from "./Decimal.ts"
import { Unreadable } from "./Unreadable.ts"

/** The place of the quote that ends the text begun at `start`. */
export const endOf = (source: string, start: number): number => {
  for (let end = source.indexOf('"', start + 1); end >= 0; end = source.indexOf('"', end + 1)) {
    let escapes = 0
    while (source.charCodeAt(end - 1 - escapes) === 92) escapes++
    if (escapes % 2 === 0) return end
  }
  return source.length
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Texts that a colon follows: in valid JSON, a name each. */
const namesIn = (source: string): number => {
  let names = 0
  for (let start = source.indexOf('"'); start >= 0; ) {
    let next = endOf(source, start) + 1
    while (isSpace(source.charCodeAt(next))) next++
    if (source.charCodeAt(next) === 58) names++
    start = source.indexOf('"', next)
  }
  return names
}

const namesOf = (value: unknown): number => {
  let names = 0
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== "object" || one === null || one instanceof Decimal || one instanceof Unreadable)
      continue
    const inner: ReadonlyArray<unknown> = Array.isArray(one) ? one : Object.values(one)
    if (inner !== one) names += inner.length
    for (const each of inner) if (typeof each === "object" && each !== null) open.push(each)
  }
  return names
}

/** Whether an object of a valid JSON text has two members of one name: then the text has more names than its value. */
export const namesTwice = (source: string, value: unknown): boolean => namesIn(source) > namesOf(value)
