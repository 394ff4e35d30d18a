/** The day from which runs are demanded is that of the release that first logs them. */
import { assert, it } from "vitest"
import { loggedFrom } from "../../core/proof/firstEntry.ts"
import releases from "../../runtime/release/releases.json" with { type: "json" }

it("runs are demanded from the day of release 2.1.0 on, once it is cut", () => {
  const release = releases.find(({ version }) => version === "2.1.0")
  // Until then the constant is a day to come, so that no released service is asked for what it could not log.
  if (release === undefined) assert.isAbove(Date.parse(loggedFrom), Date.parse(releases.at(-1)?.date ?? ""))
  else assert.strictEqual(loggedFrom, release.date)
})
