/** Sizes that may only fall: `limits.json` has the greatest that each may be, and is lowered with what becomes smaller. */
import { readFileSync } from "node:fs"
import { assert } from "vitest"

const limits: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL("limits.json", import.meta.url), "utf8")
)

/** A limit this far above what is measured says nothing any more. */
const slack = 1.1

/** Fails above the limit of this name; and far below it, until the limit is lowered. */
export const isWithinLimit = (name: string, measured: number): void => {
  const most = limits[name] ?? assert.fail(`${name} has no limit in test/support/limits.json`)
  assert.isAtMost(measured, most, `${name}: make it smaller, its limit is never raised`)
  assert.isAtLeast(
    measured * slack,
    most,
    `${name}: lower its limit in test/support/limits.json to ${Math.ceil(measured * 1.02)}`
  )
}
