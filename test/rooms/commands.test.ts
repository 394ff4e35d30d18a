/** Every command that a text names exists, with its subcommand. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "vitest"
import { commands } from "../../runtime/plumbline.ts"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname
const named =
  /(?:(?:npx(?: --no)? |run: |with: |`)plumbline|\$\{program\}) (?!is )([a-z]+)(?: ([a-z]+(?:-[a-z]+)*))?/g

it("every command that a text names exists", async () => {
  const subcommands = new Map<string, ReadonlySet<string>>()
  for (const [name, { load }] of Object.entries(commands)) {
    const { subcommands: groups } = await load()
    subcommands.set(name, new Set(groups.flatMap(({ commands }) => commands.map((one) => one.name))))
  }
  const faults: Array<string> = []
  for await (const path of glob(["*.md", "{core,http,mcp,runtime}/**/*.{ts,md,yml,yaml}"], { cwd: top })) {
    if (!isOwnSource(path)) continue
    for (const [text, name = "", sub] of readFileSync(join(top, path), "utf8").matchAll(named)) {
      const available = subcommands.get(name)
      const isGroup = available !== undefined && available.size > 0 && name !== "verify"
      if (available === undefined || (isGroup && sub !== undefined && !available.has(sub)))
        faults.push(`${path}: ${text}`)
    }
  }
  assert.deepStrictEqual(faults, [])
})
