/** The files that a reader gives to be verified: read, checked by the verifier, and shown. */
import type { showLooked } from "../../checking/index.ts"
import type { FileResult, InputFile, Trouble } from "../../verifier/files.ts"
import { element, find, textOf } from "../dom.ts"
import { seenKeys, trusted } from "../store.ts"
import { verifyIn } from "../verifying.ts"
import { ask } from "../workerCall.ts"

/** The files that were given last: they are checked again when a key or an address is given. */
let inputFiles: Promise<ReadonlyArray<InputFile>> | undefined

const unread: Trouble = {
  title: "Files",
  why: "A file could not be read: it was moved or changed since you chose it.",
  help: "Choose it again."
}

const outcomePlace = (name: string, looked: FileResult, show: typeof showLooked): HTMLElement => {
  const place = element("section", { class: "outcome", "aria-label": `Result of ${name}` })
  show(place, looked)
  return place
}

const showFiles = async (part: HTMLElement, chosen: Promise<ReadonlyArray<InputFile>>): Promise<void> => {
  const { showLooked } = await import("../../checking/index.ts")
  const files = await chosen.catch(() => undefined)
  if (files === undefined) return part.replaceChildren(outcomePlace(unread.title, unread, showLooked))
  const { results: outcomes, wrongHeaders } = await ask("checkFiles", {
    files,
    address: textOf("#address"),
    headers: textOf("#headers"),
    trusted: trusted(),
    keys: seenKeys()
  })
  const headersMessage = find("#headers-said")
  if (headersMessage !== null && part.isConnected) headersMessage.textContent = wrongHeaders
  part.replaceChildren(...outcomes.map(({ looked, name }) => outcomePlace(name, looked, showLooked)))
}

/** Checks the files once more. */
export const checkFiles = async (): Promise<void> => {
  const results = find<HTMLElement>("#results")
  const chosen = inputFiles
  if (results === null || chosen === undefined) return
  await verifyIn(results, (part) => showFiles(part, chosen))
}

/** Larger ones are no proofs of ours: a day's bundle has a few kilobytes. */
const mostBytes = 32 * 1024 * 1024

const read = async (file: File): Promise<InputFile> => ({
  name: file.name,
  bytes: new Uint8Array(await file.slice(0, mostBytes).arrayBuffer())
})

/** Checks these files in place of those before. */
export const takeFiles = async (files: Iterable<File>): Promise<void> => {
  inputFiles = Promise.all([...files].map(read))
  await checkFiles()
}
