#!/usr/bin/env node
import module from "node:module"

// Before anything else is imported, so that the second start compiles nothing.
module.enableCompileCache()
await import("./main.ts")
