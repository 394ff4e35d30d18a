/** What axe-core finds on a page: all its rules in the light theme, and the contrasts once more in the dark one. */
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

const run = async (page: Page, options: object): Promise<ReadonlyArray<string>> => {
  const results: ReadonlyArray<Violation> = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], ...options })}).then(({ violations }) => violations)`
  )
  return results.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(" ")}`)
}

/** The window must be opened as `forbidden`, because pages allow no script from elsewhere. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.addScriptTag({ path })
  await page.emulateMedia({ colorScheme: "light" })
  const light = await run(page, {})
  await page.emulateMedia({ colorScheme: "dark" })
  return [...light, ...(await run(page, { runOnly: ["color-contrast"] }))]
}
