/** The operator's page names what exists. `container.test.ts` runs its commands. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { commands } from "../../runtime/plumbline.ts"
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")
const page = read("runtime/deploy/README.md")
/** The page of the plugins has the variables that they read. */
const settings = settingsHelp + read("plugins/README.md")

it("the operator's page names commands, scripts, settings and files that exist", () => {
  for (const [, script = ""] of page.matchAll(/`npm run ([\w:]+)/g))
    assert.property(packageJson.scripts, script)
  for (const [, command = ""] of page.matchAll(/npx plumbline (\w+)/g)) assert.property(commands, command)
  for (const [, name = ""] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)) assert.include(settings, name)
  for (const [, name = ""] of page.matchAll(/`([\w.]+\.(?:yml|yaml|json|service|conf))`/g)) {
    const folder = name === "package.json" ? "../.." : "../../runtime/deploy"
    assert.isNotEmpty(readFileSync(new URL(join(folder, name), import.meta.url)), name)
  }
})
