/**
 * Saved server-sent events, read as a client of the HTML standard reads them: what such a client would be given as an event
 * of the feed is one, or the file is refused.
 */
import { isRecord } from "../../../../core/proof/canonical.ts"
import { demand } from "../../../../core/proof/check.ts"
import { parseJson } from "../../../../core/proof/json.ts"

/** What a stream says about itself. It is signed by nobody, and so it has no id. */
const ofTheStream: ReadonlySet<string> = new Set(["open", "gap", "close"])

interface Block {
  readonly event: string | undefined
  readonly data: string | undefined
  readonly id: string | undefined
}

/** The fields of a block; of one that is there twice the last counts, and lines of data are joined. */
const readBlock = (lines: ReadonlyArray<string>): Block => {
  let [event, data, id]: Array<string | undefined> = []
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (name === "event") event = value
    else if (name === "id") id = value
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`
  }
  return { event, data, id }
}

/** The signed events of a stream, in order. Throws `Malformed` for a block that a client would take for one and is not. */
export const eventsOfStream = (text: string): ReadonlyArray<unknown> => {
  // The standard's line ends: CR LF, LF and CR. A block ends with an empty line; one that is cut off is read all the same.
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/)
  const blocks: Array<Array<string>> = [[]]
  for (const line of lines) {
    if (line === "") blocks.push([])
    else blocks.at(-1)?.push(line)
  }
  return blocks.flatMap((block) => {
    const { data, event, id } = readBlock(block)
    // Without data nothing is dispatched: a comment, a time to wait, or an id that moves on.
    if (data === undefined) return []
    if (event !== undefined && ofTheStream.has(event)) {
      demand(
        id === undefined,
        `the block \`event: ${event}\` has the id ${id}, but it is about the stream itself`
      )
      return []
    }
    const value = parseJson(data)
    demand(isRecord(value), "the data of an event must be an object")
    demand(
      id === String(value["id"]) && event === value["kind"],
      `a block says event ${event ?? "message"} with ${id === undefined ? "no id" : `id ${id}`}, but its data is ${String(value["kind"])} ${String(value["id"])}`
    )
    return [value]
  })
}
