#!/usr/bin/env node
/** `plumbline verify`: checks answers, values, bundles, the log and timestamps without trusting the server. */
import { CouldNotLook, Malformed } from "../../../../core/proof/bytes.ts"
import { answersTo, lastLine } from "../../../../core/proof/questions.ts"
import { commands } from "./cli/commands.ts"
import { get } from "./cli/get.ts"
import type { Surroundings } from "./cli/inputs.ts"
import { parse, usage } from "./cli/options.ts"
import { inSum, mark, plain, signs, verdicts } from "./cli/print.ts"
import { watch } from "./cli/watch.ts"

/** Runs `verify` with these arguments (a leading `verify` is optional) and returns the exit code. */
export const main = async (
  args: ReadonlyArray<string>,
  io: Surroundings = { print: (line) => console.log(line), env: process.env, get }
): Promise<number> => {
  const json = args.includes("--json")
  const stop = (exit: 1 | 2, message: string): number => {
    io.print(
      json
        ? JSON.stringify({ verdict: verdicts[exit], exit, checks: [], error: message })
        : `${mark(exit === 1 ? false : "not proved")}  ${plain(message)}`
    )
    return exit
  }
  try {
    const { positionals, values } = parse(args)
    const [name = "", target, ...more] = positionals[0] === "verify" ? positionals.slice(1) : positionals
    if (name === "monitor" && !values.help) return await watch(values, io)
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (values.help || (name === "" && !json)) {
      io.print(usage)
      return values.help ? 0 : 2
    }
    if (command === undefined || more.length > 0) {
      const what = command === undefined ? `unknown command "${name}"` : `${more[0]} is one argument too many`
      return stop(2, `${what}; see plumbline verify --help`)
    }
    const result = await command(target, values, io)
    const { checks, exit } = result
    if (json) io.print(JSON.stringify({ verdict: verdicts[exit], exit, checks, ...inSum(checks) }))
    else {
      for (const { detail, name: what, ok } of checks)
        io.print(`${mark(ok)}  ${plain(what)}: ${plain(detail)}`)
      if (checks.length > 0)
        for (const { question, state, text } of answersTo(checks, "It"))
          io.print(`${signs[state]} ${`${question}?`.padEnd(11)} ${plain(text)}`)
      io.print(exit === 0 || checks.length === 0 ? verdicts[exit] : lastLine(checks, exit))
    }
    return exit
  } catch (error) {
    if (error instanceof Malformed) return stop(error instanceof CouldNotLook ? 2 : 1, error.message)
    // What `parseArgs` does not understand.
    if (error instanceof TypeError && "code" in error) return stop(2, error.message)
    throw error
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
