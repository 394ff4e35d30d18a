/** Runs other programs. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"

/** Runs a program to its end. */
export const runToEnd = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) => {
  const { status, stderr, stdout } = spawnSync(program, args, { ...options, encoding: "utf8" })
  return { status, out: `${stdout}${stderr}` }
}

/** Runs a program until the scope ends. */
export const startProgram = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, {
        ...options,
        env: { PATH: process.env["PATH"] ?? "", ...options.env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      const chunks: Array<string> = []
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (text) => chunks.push(String(text)))
      return { child, output: () => chunks.join(""), ended: once(child, "close") }
    }),
    ({ child, ended }) =>
      Effect.promise(async () => {
        child.kill("SIGKILL")
        await ended
      })
  )
