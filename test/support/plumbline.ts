/** The command line: in a process of its own, or in this one, which loads its code once for all tests of the process. */
import { execFile } from "node:child_process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { inOneLine, NotPassed } from "../../runtime/cli/usage.ts"
import { plumbline as treeOf } from "../../runtime/plumbline.ts"

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

/**
 * Runs one command here with these settings and no others. It knows no working directory, so paths are absolute, and it
 * opens the database itself, so no service owns it. What a process does besides is up to tests of `plumbline`.
 */
export const plumblineHere = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  ...words: ReadonlyArray<string>
): Effect.fn.Return<Ended> {
  const said = { out: "", err: "" }
  const to =
    (stream: "out" | "err") =>
    (...parts: ReadonlyArray<unknown>) => {
      said[stream] += `${parts.join(" ")}\n`
    }
  const code = yield* treeOf(words).pipe(
    Effect.flatMap((tree) => Command.runWith(tree, { version: packageJson.version })(words)),
    inOneLine,
    Effect.as(0),
    Effect.catch((error) => Effect.succeed(error instanceof NotPassed ? (error.code ?? 1) : 1)),
    Effect.provideService(Console.Console, { ...console, log: to("out"), error: to("err") }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provide(NodeServices.layer)
  )
  return { code, ...said }
})
