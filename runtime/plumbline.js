#!/usr/bin/env node
/**
 * The command as it is installed. It is plain JavaScript, so that a Node that cannot run the rest says so in one line.
 */
import { readFileSync } from "node:fs"

const top = new URL("../", import.meta.url)
const { engines } = JSON.parse(readFileSync(new URL("package.json", top), "utf8"))
const needed = engines.node.replace(">=", "")
// What a double would round is read from the text itself.
let readsDigits = false
JSON.parse("1", (_, value, context) => {
  readsDigits = context?.source === "1"
  return value
})
// Threads begin with what their process was started with, and other processes with what the environment says.
const flag = `--import=${new URL("typescript.js", import.meta.url).href}`

if (Number.parseInt(process.versions.node, 10) < Number(needed)) {
  console.error(`plumbline: this needs Node ${needed} or newer, and runs on ${process.version}`)
  process.exitCode = 1
} else if (!readsDigits) {
  console.error(
    "plumbline: this runtime's JSON.parse does not tell a number's own digits, which are published; use Node 24"
  )
  process.exitCode = 1
} else {
  if (top.href.includes("/node_modules/") && !process.execArgv.includes(flag)) {
    const words = [process.execPath, flag, ...process.execArgv, ...process.argv.slice(1)]
    const options = [process.env.NODE_OPTIONS, flag].filter(Boolean).join(" ")
    process.execve?.(process.execPath, words, { ...process.env, NODE_OPTIONS: options })
    await import("./typescript.js")
  }
  await import("./bin.ts")
}
