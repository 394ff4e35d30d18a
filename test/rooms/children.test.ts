/** Processes that ours fork: in an installed release they run TypeScript only with the flag that ours has. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

it("a fork passes on what runs TypeScript below node_modules", async () => {
  const forks: Array<string> = []
  const wrong: Array<string> = []
  for await (const path of glob("{core,http,mcp,runtime}/**/*.ts", { cwd: top })) {
    if (!isOwnSource(path)) continue
    for (const [call] of readFileSync(join(top, path), "utf8").matchAll(/\bfork\(new URL\([\s\S]*?\}\)/g)) {
      forks.push(path)
      if (!/execArgv: \[\.\.\.typescriptFlags,/.test(call)) wrong.push(path)
    }
  }
  assert.isAtLeast(forks.length, 2)
  assert.deepStrictEqual(wrong, [])
})
