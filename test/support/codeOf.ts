/** The code of a TypeScript source without its comments, strings and regular expressions. */

/** After these a slash begins a regular expression and is no division. */
const beforePattern = /(^|[(,=:[!&|?{};+~<>*%-]|=>|\b(return|typeof|case|in|of|yield|await))\s*$/

const endOfQuoted = (source: string, from: number): number => {
  const quote = source[from]
  let index = from + 1
  while (index < source.length && source[index] !== quote && source[index] !== "\n") {
    index += source[index] === "\\" ? 2 : 1
  }
  return index + 1
}

const endOfPattern = (source: string, from: number): number => {
  let index = from + 1
  let isInClass = false
  while (index < source.length && (isInClass || source[index] !== "/") && source[index] !== "\n") {
    if (source[index] === "[") isInClass = true
    if (source[index] === "]") isInClass = false
    index += source[index] === "\\" ? 2 : 1
  }
  return index + 1
}

const endOf = (source: string, mark: string, from: number): number => {
  const index = source.indexOf(mark, from)
  return index === -1 ? source.length : index + mark.length
}

/**
 * Each left-out part is one space, so that words stay apart; line ends of comments stay. The code within `${}` of a template
 * is code.
 */
export const codeOf = (source: string): string => {
  /** For each template that is open: how many braces are open in its `${}`. */
  const depths: Array<number> = []
  let code = ""
  let index = 0
  const skipTo = (end: number) => {
    code += ` ${"\n".repeat(source.slice(index, end).split("\n").length - 1)}`
    index = end
  }
  /** From within a template to its end or to the next `${`. */
  const skipTemplate = () => {
    let end = index
    while (end < source.length && source[end] !== "`" && !source.startsWith("${", end)) {
      end += source[end] === "\\" ? 2 : 1
    }
    if (source[end] === "`") skipTo(end + 1)
    else {
      depths.push(0)
      skipTo(end + 2)
    }
  }
  while (index < source.length) {
    const char = source[index] ?? ""
    const depth = depths.at(-1)
    if (char === '"' || char === "'") skipTo(endOfQuoted(source, index))
    else if (source.startsWith("//", index)) skipTo(endOf(source, "\n", index) - 1)
    else if (source.startsWith("/*", index)) skipTo(endOf(source, "*/", index))
    else if (char === "/" && beforePattern.test(code.slice(-20))) skipTo(endOfPattern(source, index))
    else if (char === "`") {
      index++
      skipTemplate()
    } else if (char === "}" && depth === 0) {
      depths.pop()
      index++
      skipTemplate()
    } else {
      if (depth !== undefined && char === "{") depths[depths.length - 1] = depth + 1
      if (depth !== undefined && char === "}") depths[depths.length - 1] = depth - 1
      code += char
      index++
    }
  }
  return code
}
