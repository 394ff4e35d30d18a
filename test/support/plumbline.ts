/** The command line: in a process of its own, or in this one, which loads its code once for all tests of the process. */
import { execFile } from "node:child_process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { inOneLine, NotPassed } from "../../runtime/cli/usage.ts"
import { plumbline as treeOf } from "../../runtime/plumbline.ts"

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

export interface CommandResult {
  readonly code: number | string | null
  readonly out: string
  readonly err: string
}

/** Runs one command in `cwd`, with these settings and no others. */
export const plumbline = (
  cwd: string,
  env: Readonly<Record<string, string>>,
  ...argv: ReadonlyArray<string>
): Effect.Effect<CommandResult> =>
  Effect.promise(
    () =>
      new Promise((resolve) =>
        execFile(process.execPath, [bin, ...argv], { cwd, env }, (error, out, err) =>
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
  ...argv: ReadonlyArray<string>
): Effect.fn.Return<CommandResult> {
  const output = { out: "", err: "" }
  const to =
    (stream: "out" | "err") =>
    (...parts: ReadonlyArray<unknown>) => {
      output[stream] += `${parts.join(" ")}\n`
    }
  const code = yield* treeOf(argv).pipe(
    Effect.flatMap((tree) => Command.runWith(tree, { version: packageJson.version })(argv)),
    inOneLine,
    Effect.as(0),
    Effect.catch((error) => Effect.succeed(error instanceof NotPassed ? (error.code ?? 1) : 1)),
    Effect.provideService(Console.Console, { ...console, log: to("out"), error: to("err") }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.provide(NodeServices.layer)
  )
  return { code, ...output }
})
