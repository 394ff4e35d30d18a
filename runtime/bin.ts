#!/usr/bin/env node
import module from "node:module"
import { keepSmall } from "./cli/youngHeap.ts"

const [command, what] = process.argv.slice(2)
if (command === "serve") keepSmall()

// Before anything else is imported, so that the second start compiles nothing.
const { directory } = module.enableCompileCache()
// A thread keeps what it compiles only where its environment says so.
if (directory !== undefined) process.env["NODE_COMPILE_CACHE"] = directory

// `plumbline status | head` closes the pipe early: that is the reader's right and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

if (command === "verify" && what !== "derivation") {
  // The verifier stands apart: it reads its own arguments and loads nothing of the service.
  const { main } = await import("../core/proof/cli.ts")
  process.exitCode = await main(process.argv.slice(2))
} else {
  if (command === "serve" && !process.argv.includes("--replay")) {
    // Both read about as much code: the thread of the collectors need not wait for the service's own.
    const { startEarly } = await import("./collector/thread.ts")
    startEarly(new URL("../plugins/", import.meta.url))
  }
  await import("./main.ts")
}
