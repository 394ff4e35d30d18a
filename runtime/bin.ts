#!/usr/bin/env node
import module from "node:module"
import { keepSmall } from "./cli/youngHeap.ts"

const [command, what] = process.argv.slice(2)
if (command === "serve") keepSmall()

// Before anything else is imported, so that the second start compiles nothing.
const { directory } = module.enableCompileCache()
// A thread keeps what it compiles only where its environment says so.
if (directory !== undefined) process.env["NODE_COMPILE_CACHE"] = directory

// A service goes on without the reader of its log. `plumbline status | head` closes the pipe early: that is the reader's
// right and no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (command === "serve") return
    if (code === "EPIPE") process.exit(0)
    process.stderr.write(`plumbline: cannot write: ${message}\n`)
    process.exit(1)
  })
}

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
