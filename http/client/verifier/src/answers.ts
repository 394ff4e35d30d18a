/** Answers that were saved in a folder, one a file: the URL in the first line, then what `curl -i` wrote. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Malformed } from "../../../../core/proof/bytes.ts"
import { requestOf } from "../../../../core/proof/fetched.ts"
import { parseSaved, savedUrl } from "../../../../core/proof/saved.ts"
import { readIfThere } from "./folder.ts"
import type { SavedAnswer } from "./monitor/answers.ts"
import { SourceUnreachable } from "./monitor/source.ts"

/** Files that are read in one look; the last by name, of more. */
const most = 10_000

const read = (name: string, bytes: Uint8Array): SavedAnswer => {
  const url = savedUrl(bytes)
  if (url === undefined) throw new Malformed("its first line must be the URL that was asked for")
  return { name, response: { ...parseSaved(bytes), request: requestOf("GET", url) } }
}

/** The answers, and why a file is none. Throws `SourceUnreachable`. */
export const answersIn = async (folder: string) => {
  const files = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw new SourceUnreachable(`cannot read ${folder}: ${error.message}`)
  })
  const names = files
    .filter((file) => file.isFile())
    .map(({ name }) => name)
    .sort()
  const answers: Array<SavedAnswer> = []
  const unproved: Array<string> =
    names.length > most ? [`${folder} has ${names.length} files; the last ${most} by name were read`] : []
  for (const name of names.slice(-most)) {
    const path = join(folder, name)
    const bytes = await readIfThere(path)
    if (bytes === undefined) continue
    try {
      answers.push(read(path, bytes))
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      unproved.push(`${path} is no saved answer: ${error.message}`)
    }
  }
  return { answers, unproved }
}
