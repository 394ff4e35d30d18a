/** The texts in a source file that may be SQL: the contents of its templates and strings, each by itself. */

/** Where a text without parts ends that begins behind `from`: at its closing mark, or at the end of its line. */
const endOfText = (source: string, from: number, mark: string): number => {
  let at = from
  while (at < source.length && source[at] !== mark && source[at] !== "\n") at += source[at] === "\\" ? 2 : 1
  return at
}

/** Where a regular expression ends that begins behind `from`: a slash in a class does not end it. */
const endOfPattern = (source: string, from: number): number => {
  let at = from
  while (at < source.length && source[at] !== "/" && source[at] !== "\n") {
    if (source[at] === "[") at = endOfText(source, at + 1, "]")
    at += source[at] === "\\" ? 2 : 1
  }
  return at
}

/** A slash behind one of these divides nothing. */
const beginsPattern = (source: string, at: number): boolean =>
  /[(,=:!&|?{};\n]\s*$/.test(source.slice(Math.max(0, at - 20), at))

/** Comments and regular expressions are passed over; what stands in `${…}` is read by itself, and leaves a `$`. */
export const textsOf = (source: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  /** Reads the template whose backquote is before `from`; gives what is behind its end. */
  const template = (from: number): number => {
    let text = ""
    let at = from
    while (at < source.length && source[at] !== "`") {
      if (source[at] === "\\") at += 2
      else if (source.startsWith("${", at)) {
        text += " $ "
        at = expression(at + 2)
      } else text += source[at++]
    }
    texts.push(text)
    return at + 1
  }
  /** Reads what stands in a template's braces, other templates included. */
  const expression = (from: number): number => {
    let at = from
    for (let depth = 1; at < source.length && depth > 0; ) {
      if (source[at] === "`") at = template(at + 1)
      else {
        if (source[at] === "{") depth++
        if (source[at] === "}") depth--
        at++
      }
    }
    return at
  }
  const after = (text: string, from: number): number => {
    const end = source.indexOf(text, from)
    return end === -1 ? source.length : end + text.length
  }
  for (let at = 0; at < source.length; ) {
    if (source.startsWith("//", at)) at = after("\n", at)
    else if (source.startsWith("/*", at)) at = after("*/", at)
    else if (source[at] === "/" && beginsPattern(source, at)) at = endOfPattern(source, at + 1) + 1
    else if (source[at] === "`") at = template(at + 1)
    else if (source[at] === '"' || source[at] === "'") {
      const end = endOfText(source, at + 1, source[at] ?? "")
      texts.push(source.slice(at + 1, end))
      at = end + 1
    } else at++
  }
  return texts
}
