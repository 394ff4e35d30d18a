#!/usr/bin/env node
import module from "node:module"

// Before anything else is imported, so that the second start compiles nothing.
module.enableCompileCache()

// `plumbline status | head` closes the pipe early: that is the reader's right and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

await import("./main.ts")
