/** Whether the code of a run is that of this checkout: kept sources derive again whatever they say, also with a line changed in them. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { type Check, notChecked } from "../../core/proof/check.ts"
import { type Exported, within } from "./export.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

/** Files that are named; of more, how many. */
const mostNamed = 5

export const ownCodeName = "code of this checkout"

const hashHere = async (path: string): Promise<string | undefined> => {
  const file = within(top, path)
  const bytes = file === undefined ? undefined : await readFile(file).catch(() => undefined)
  return bytes === undefined ? undefined : createHash("sha256").update(bytes).digest("hex")
}

/** `files` are the sources of a run with their hashes, which were held to its code hash. Dependencies are a check of their own. */
export const checkOwnCode = async (files: NonNullable<Exported["files"]>): Promise<Check> => {
  const sources = files.filter(({ path }) => path !== "package-lock.json")
  const others: Array<string> = []
  for (const { path, sha256 } of sources) if ((await hashHere(path)) !== sha256) others.push(path)
  const named = others.slice(0, mostNamed).join(", ")
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ""
  return others.length === 0
    ? { name: ownCodeName, ok: true, detail: `${sources.length} files are the same here` }
    : notChecked(
        ownCodeName,
        `${others.length} of ${sources.length} files are others here: ${named}${more}; what they do with an answer nobody but their reader checks, or a checkout of the release that ran`
      )
}
