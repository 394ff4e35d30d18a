/** What scripts of pages have of the table of units: all that they ask of it, and no more. */
import { assert, describe, it } from "vitest"
import units from "../../core/plugin/units.json" with { type: "json" }
import { assetsBuilt } from "../../http/explorer/assets/build.ts"

describe("the scripts of pages", () => {
  it("have the word of a unit and what is true of its values, and ask for nothing else of it", async () => {
    const { files } = await assetsBuilt()
    const word = `usd_per_hour:{word:"${units.usd_per_hour.word}"}`
    const script = files
      .filter(({ name }) => name.endsWith(".js"))
      .map(({ bytes }) => Buffer.from(bytes).toString("utf8"))
      .find((text) => text.includes(word))
    assert(script !== undefined)
    assert.include(script, `count:{word:"",is:${JSON.stringify(units.count.is)}}`)
    assert.notInclude(script, units.usd_per_hour.because)
    // Each function of `units.ts` asks for one member, of a unit that may be none. Of `meanings`, which no script uses, a bundler keeps that it is made.
    assert.match(script, /\]\?\.is\?\.includes/)
    assert.notMatch(script, /\]\?\.(ending|no_ratio|agrees|greatest|because)\b/)
  })
})
