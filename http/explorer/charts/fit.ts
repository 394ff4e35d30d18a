/** Text inside of a picture, where nothing else breaks or cuts it. */

/** At most `most` characters, the last of which is an ellipsis where there are more. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text

/** A word in pieces that fit a line: an address may be longer than one. */
const pieces = (word: string, most: number): ReadonlyArray<string> =>
  word.match(new RegExp(`.{1,${most}}`, "gu")) ?? []

/**
 * A text in lines of at most `most` characters: broken at spaces, and inside of a word only where it is longer than a line. What
 * is beyond `mostLines` is cut.
 */
export const wrap = (text: string, most: number, mostLines = 3): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/).flatMap((one) => pieces(one, most))) {
    const longer = line === "" ? word : `${line} ${word}`
    if (longer.length <= most) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  if (line !== "") lines.push(line)
  return lines.length <= mostLines
    ? lines
    : [...lines.slice(0, mostLines - 1), cut(lines.slice(mostLines - 1).join(" "), most)]
}
