/** Readable JSON: short values and flat ones on one line, everything else with one member per line. */

/** The longest line, in characters, that may contain lists or objects. */
const width = 100

/** The text, without a line break at the end. `JSON.parse` gives the value back. */
export const layout = (value: unknown, indent = ""): string => {
  const line = JSON.stringify(value)
  if (typeof value !== "object" || value === null) return line
  const members = Object.entries(value)
  const isFlat = members.every(([, member]) => typeof member !== "object" || member === null)
  if (members.length === 0 || isFlat || indent.length + line.length <= width) return line
  const deeper = `${indent}  `
  const isList = Array.isArray(value)
  const lines = members.map(
    ([name, member]) => `${deeper}${isList ? "" : `${JSON.stringify(name)}: `}${layout(member, deeper)}`
  )
  const [open, close] = isList ? "[]" : "{}"
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}
