#!/usr/bin/env node
import module from "node:module"

// Before anything else is imported, so that the second start compiles nothing.
module.enableCompileCache()

// `plumbline status | head` closes the pipe early: that is the reader's right and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

const [command, what] = process.argv.slice(2)
if (command === "verify" && what !== "derivation") {
  // The verifier stands apart: it reads its own arguments and loads nothing of the service.
  const { main } = await import("../core/proof/cli.ts")
  process.exitCode = await main(process.argv.slice(2))
} else {
  await import("./main.ts")
}
