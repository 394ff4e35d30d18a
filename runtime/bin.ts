#!/usr/bin/env node
import module from "node:module"
import { keepSmall } from "./cli/smallProcess.ts"

const [command, what] = process.argv.slice(2)
if (command === "serve") keepSmall({ isDemo: process.argv.includes("--replay") })

// Enabled before anything else is imported: the second start then compiles nothing.
const { directory } = module.enableCompileCache()
// Threads use the cache only if their environment names it.
if (directory !== undefined) process.env["NODE_COMPILE_CACHE"] ??= directory

// A service keeps running when the reader of its log goes away. `plumbline status | head` closes the pipe early, which
// is not an error.
for (const stream of [process.stdout, process.stderr]) {
  // biome-ignore lint/plugin/callback: it ends the process on purpose, where it is no service
  stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (command === "serve") return
    if (code === "EPIPE") process.exit(0)
    process.stderr.write(`plumbline: cannot write: ${message}\n`)
    process.exit(1)
  })
}

// Before anything reads the catalog, which has their networks.
const { PLUGINS } = process.env
if (PLUGINS !== undefined && PLUGINS !== "") {
  const { begin, pluginsNamed } = await import("./collector/outside.ts")
  try {
    begin(pluginsNamed(PLUGINS, process.cwd()))
  } catch (error) {
    process.stderr.write(`plumbline: PLUGINS: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

if (command === "verify" && what !== "derivation" && what !== "derivations") {
  // The verifier is independent: it parses its own arguments and loads none of the service's code.
  const { run } = await import("../http/client/verifier/src/cli.ts")
  process.exitCode = await run(process.argv.slice(2))
} else {
  if (command === "serve") {
    const { tooFewDescriptors } = await import("./cli/descriptors.ts")
    const fault = process.argv.includes("--help") ? undefined : tooFewDescriptors()
    if (fault !== undefined) {
      process.stderr.write(`plumbline: ${fault}\n`)
      process.exit(1)
    }
    const { startEarly } = await import("./service/early.ts")
    startEarly(process.argv.slice(3), process.env)
  }
  await import("./main.ts")
}
