/** The help of commands at a width that every terminal has. */
import { CliOutput } from "effect/cli"

const width = 80

/** Where the last column of a line begins: after its last run of two or more blanks. */
const columnOf = (line: string): number => {
  const gaps = [...line.matchAll(/ {2,}(?=\S)/g)]
  const last = gaps.at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}

/** Further to the right, too little room is left for words; they go below what they explain. */
const rightmost = 34

/** How far the words are set in that go below. */
const below = 8

const filled = (words: ReadonlyArray<string>, room: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** A line of help, continued under its last column where it is longer than the width. */
const wrappedLine = (line: string): string => {
  if (line.length <= width) return line
  const column = columnOf(line)
  const hanging = column > rightmost
  const [head, text] = [line.slice(0, column), line.slice(column)]
  const indent = " ".repeat(hanging ? below : column)
  const lines = filled(text.split(" "), width - indent.length)
  return hanging
    ? [head.trimEnd(), ...lines.map((one) => indent + one)].join("\n")
    : [head + (lines[0] ?? ""), ...lines.slice(1).map((one) => indent + one)].join("\n")
}

/** A text whose lines fit 80 columns, but for a single word that is longer. */
export const wrapped = (help: string): string => help.split("\n").map(wrappedLine).join("\n")

const plain = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** The formatter of the CLI library, in 80 columns. */
export const layer = CliOutput.layer({
  ...plain,
  formatHelpDoc: (help) => wrapped(plain.formatHelpDoc(help))
})
