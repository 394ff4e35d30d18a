/** What the text of a source says of members: where they stand, and what near them may cut, select or replace. */

/** Where a member stands in a text. */
export interface Mention {
  readonly member: string
  /** How it is written there: `node_count` may be `NodeCount`. */
  readonly written: string
  /** From 1. */
  readonly lines: ReadonlyArray<number>
}

/** A line of a text, numbered from 1. */
export interface Line {
  readonly number: number
  readonly text: string
}

const plain = (word: string): string => word.replace(/[_-]/g, "").toLowerCase()

const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r?\n/)

const escaped = (word: string): string => word.replace(/[^\w]/g, "\\$&")

/** The lines with a member as a word of its own; else with its name in another spelling; undefined if there are none. */
export const mentionOf = (text: string, member: string): Mention | undefined => {
  const lines = linesOf(text)
  const word = new RegExp(`(?<![\\w])${escaped(member)}(?![\\w])`)
  const exact = lines.flatMap((line, at) => (word.test(line) ? [at + 1] : []))
  if (exact.length > 0) return { member, written: member, lines: exact }
  const spelled = lines.flatMap((line, at) =>
    (line.match(/[\w-]*\w/g) ?? [])
      .filter((other) => plain(other) === plain(member))
      .map((other) => [other, at + 1] as const)
  )
  const [first] = spelled
  return first === undefined
    ? undefined
    : { member, written: first[0], lines: [...new Set(spelled.map(([, line]) => line))] }
}

/** A limit, a selection or a default. `export default` and `default:` of a switch are none. */
const remark = /limit(?!er|ed)|(?<![a-z])top(?![a-z])|(?<!export )default(?!:)|\bwhere\b/i

/** How far from a member such a line concerns it: a parameter stands above, a clause of a query below. */
const [above, below] = [40, 15]

/** The most lines to show of a file, and of a line. */
const [mostLines, mostCharacters] = [15, 140]

// A source is somebody else's text: it must not move the cursor of a terminal.
const printable = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, mostCharacters)

/** The lines near `places` that name a limit, a selection or a default; the nearest ones, in the order of the text. */
export const remarksNear = (text: string, places: ReadonlyArray<number>): ReadonlyArray<Line> =>
  linesOf(text)
    .flatMap((line, at) => {
      const near = places.filter((place) => at + 1 >= place - above && at + 1 <= place + below)
      return near.length > 0 && remark.test(line)
        ? [
            {
              number: at + 1,
              text: printable(line),
              far: Math.min(...near.map((place) => Math.abs(place - at - 1)))
            }
          ]
        : []
    })
    .toSorted((a, b) => a.far - b.far)
    .slice(0, mostLines)
    .toSorted((a, b) => a.number - b.number)
    .map(({ number, text }) => ({ number, text }))
