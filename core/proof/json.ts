/**
 * Reads JSON strictly (I-JSON, RFC 7493, and narrower): a text that two readers could understand differently is refused. All
 * documents that are not canonical JSON are read here: bundles, key documents, saved answers.
 */
import { visit } from "jsonc-parser"
import { Malformed } from "./bytes.ts"

/** Bounds against hostile texts. Our own documents are far from both. */
export const jsonLimits = {
  /** UTF-16 code units. */
  length: 16 * 1024 * 1024,
  /** Objects and arrays in one another. */
  depth: 64
} as const

const where = (offset: number, path: ReadonlyArray<string | number> = []): string =>
  `${path.length === 0 ? "" : `in ${path.join(".")}, `}at character ${offset + 1}`

/**
 * The value of a JSON text. Throws `Malformed`, saying where, for anything but exactly one JSON value; for a member that is
 * there twice, also if one of the names is escaped; for a lone surrogate; for a number that is not spelled as ECMAScript
 * prints it, such as 1.0, -0, or an integer that no double holds; and for a text that is too long or too deep.
 */
export const parseJson = (text: string): unknown => {
  if (text.length > jsonLimits.length)
    throw new Malformed(`not JSON of ours: longer than ${jsonLimits.length} characters`)
  const members: Array<Set<string>> = []
  let depth = 0
  const open = (offset: number): void => {
    if (++depth > jsonLimits.depth)
      throw new Malformed(`JSON nested deeper than ${jsonLimits.depth}, ${where(offset)}`)
  }
  const refuseSurrogate = (characters: string, offset: number): void => {
    if (!characters.isWellFormed()) throw new Malformed(`a lone surrogate in the JSON, ${where(offset)}`)
  }
  visit(
    text,
    {
      onObjectBegin: (offset) => {
        open(offset)
        members.push(new Set())
      },
      onObjectProperty: (name, offset, _length, _line, _character, path) => {
        refuseSurrogate(name, offset)
        if (members.at(-1)?.has(name) === true)
          throw new Malformed(`the member ${JSON.stringify(name)} is there twice, ${where(offset, path())}`)
        members.at(-1)?.add(name)
      },
      onObjectEnd: () => {
        depth--
        members.pop()
      },
      onArrayBegin: open,
      onArrayEnd: () => {
        depth--
      },
      onLiteralValue: (value, offset, length, _line, _character, path) => {
        if (typeof value === "string") refuseSurrogate(value, offset)
        const literal = text.slice(offset, offset + length)
        if (typeof value === "number" && JSON.stringify(value) !== literal)
          throw new Malformed(
            `the number ${literal.slice(0, 40)} must be spelled as ECMAScript prints a double, ${where(offset, path())}`
          )
      },
      onError: (_code, offset) => {
        throw new Malformed(`not JSON, ${where(offset)}`)
      }
    },
    { disallowComments: true, allowTrailingComma: false }
  )
  try {
    // The platform's parser decides what JSON is; the walk above only says where, and what else is wrong.
    return JSON.parse(text)
  } catch (error) {
    throw new Malformed(`not JSON${error instanceof Error ? `: ${error.message}` : ""}`)
  }
}
