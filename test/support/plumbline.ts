/** The command line in a process of its own. */
import { execFile } from "node:child_process"
import { Effect } from "effect"

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

export interface Ended {
  readonly code: number | string | null
  readonly out: string
  readonly err: string
}

/** Runs one command in `cwd`, with these settings and no others. */
export const plumbline = (
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...words: ReadonlyArray<string>
): Effect.Effect<Ended> =>
  Effect.promise(
    () =>
      new Promise((resolve) =>
        execFile(process.execPath, [bin, ...words], { cwd, env }, (error, out, err) =>
          resolve({ code: error?.code ?? 0, out, err })
        )
      )
  )
