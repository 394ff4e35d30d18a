#!/usr/bin/env node
/** `plumbline verify`: checks answers, values, bundles, the log and timestamps without trusting the server. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { refused } from "../../../../core/proof/check.ts"
import { answersTo, lastLine } from "../../../../core/proof/questions.ts"
import { type Bounded, isBounded, runBounded, serveBounded } from "./cli/bounded.ts"
import { commands } from "./cli/commands.ts"
import { get } from "./cli/get.ts"
import { lookHourly } from "./cli/hourly.ts"
import type { Surroundings } from "./cli/inputs.ts"
import { boundsOf, parse, usage } from "./cli/options.ts"
import { inSum, mark, plain, signs, verdicts } from "./cli/print.ts"
import { watch } from "./cli/watch.ts"

const toConsole = (line: string): void => console.log(line)

/** Says why there is no list of checks. */
const stopping =
  (args: ReadonlyArray<string>, print: Surroundings["print"]) =>
  (exit: 1 | 2, message: string): number => {
    print(
      args.includes("--json")
        ? JSON.stringify({ verdict: verdicts[exit], exit, checks: [], error: message })
        : `${mark(exit === 1 ? false : "not proved")}  ${plain(message)}`
    )
    return exit
  }

/** Runs `verify` with these arguments (a leading `verify` is optional) and returns the exit code. */
export const main = async (
  args: ReadonlyArray<string>,
  io: Surroundings = { print: toConsole, env: process.env, get }
): Promise<number> => {
  const json = args.includes("--json")
  const stop = stopping(args, io.print)
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
    const { checks, exit, says } = result
    if (json)
      io.print(
        JSON.stringify({
          verdict: verdicts[exit],
          exit,
          checks,
          ...inSum(checks),
          ...(says === undefined ? {} : { says })
        })
      )
    else {
      for (const { detail, name: what, ok } of checks)
        io.print(`${mark(ok)}  ${plain(what)}: ${plain(detail)}`)
      if (checks.length > 0 && says === undefined)
        for (const { question, state, text } of answersTo(checks, "It"))
          io.print(`${signs[state]} ${`${question}?`.padEnd(11)} ${plain(text)}`)
      if (says !== undefined) io.print(`${says} (exit ${exit})`)
      else io.print(exit === 0 || checks.length === 0 ? verdicts[exit] : lastLine(checks, exit))
    }
    return exit
  } catch (error) {
    if (error instanceof Malformed) return stop(refused("", error).ok === false ? 1 : 2, error.message)
    // What `parseArgs` does not understand.
    if (error instanceof TypeError && "code" in error) return stop(2, error.message)
    // A fault of the verifier itself, or of a library, says nothing of what it looked at.
    return stop(2, `the verifier failed: ${error instanceof Error ? error.message : error}`)
  }
}

/** The same as a program: within bounds of memory and time. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const broken = (why: string) => stopping(args, toConsole)(2, why)
  try {
    const command = boundsOf(args)
    if (command === undefined) return await main(args)
    const { bounds, isHourly, values } = command
    const within = (more: ReadonlyArray<string> = []) =>
      runBounded(new URL(import.meta.url), [...args, ...more], bounds, toConsole, broken)
    return isHourly ? await lookHourly(values, within) : await within()
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error))
  }
}

const bounded = (here: Bounded): Promise<number> =>
  main(process.argv.slice(2), { ...here, env: process.env, get })

/** Starts it as the program of this process. */
export const start = async (): Promise<void> => {
  if (isBounded) await serveBounded(bounded)
  else process.exitCode = await run(process.argv.slice(2))
}

if (import.meta.main) await start()
