/** Every command that a text names exists, with its subcommand. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "vitest"
import { commands } from "../../runtime/plumbline.ts"
import { isOurs } from "../support/isOurs.ts"

const top = new URL("../..", import.meta.url).pathname
const named = /(?:(?:npx(?: --no)? |run: |with: |`)plumbline|\$\{program\}) (?!is )([a-z]+)(?: ([a-z]+))?/g

it("every command that a text names exists", async () => {
  const subcommands = new Map<string, ReadonlySet<string>>()
  for (const [name, { load }] of Object.entries(commands)) {
    const { subcommands: groups } = await load()
    subcommands.set(name, new Set(groups.flatMap(({ commands }) => commands.map((one) => one.name))))
  }
  const faults: Array<string> = []
  for await (const path of glob(["*.md", "{core,http,mcp,runtime}/**/*.{ts,md,yml,yaml}"], { cwd: top })) {
    if (!isOurs(path)) continue
    for (const [text, name = "", sub] of readFileSync(join(top, path), "utf8").matchAll(named)) {
      const known = subcommands.get(name)
      const isGroup = known !== undefined && known.size > 0 && name !== "verify"
      if (known === undefined || (isGroup && sub !== undefined && !known.has(sub)))
        faults.push(`${path}: ${text}`)
    }
  }
  assert.deepStrictEqual(faults, [])
})
