/** What `plumbline verify chain` says of a proof with documents of finality. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { main } from "../../../http/client/verifier/src/cli.ts"

const folder = mkdtempSync(join(tmpdir(), "plumbline-finality-"))

/** Runs the command with these options; exit code and lines. */
export const verifiedChain = Effect.fnUntraced(function* (
  proof: string,
  finals: ReadonlyArray<string>,
  ...args: ReadonlyArray<string>
) {
  const file = join(folder, "proof.json")
  writeFileSync(file, proof)
  const files = finals.map((text, at) => {
    const path = join(folder, `final-${at}.json`)
    writeFileSync(path, text)
    return path
  })
  const lines: Array<string> = []
  const exit = yield* Effect.promise(() =>
    main(["verify", "chain", file, ...files.flatMap((path) => ["--final", path]), ...args], {
      print: (line) => void lines.push(line),
      env: {},
      get: () => Promise.reject(new Error("nothing is asked"))
    })
  )
  return { exit, text: lines.join("\n") }
})
