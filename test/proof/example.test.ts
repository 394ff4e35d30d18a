/** The worked example of `core/README.md`, run exactly as it is printed, with the tools it names and no code of ours. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { missing } from "../support/programs.ts"

const top = new URL("../..", import.meta.url).pathname
const example =
  (readFileSync(`${top}core/README.md`, "utf8").split("## Worked example")[1] ?? "").split("\n## ")[0] ?? ""
const blocks = (language: string) =>
  [...example.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, block]) => block ?? "")

describe.skipIf(missing("curl", "openssl"))("the worked example of the formats page", () => {
  it("prints what the page says", () => {
    const script = blocks("sh").join("\n")
    const printed = execFileSync("bash", ["-euo", "pipefail", "-c", script], { cwd: top, encoding: "utf8" })
    assert.strictEqual(printed, blocks("text").join(""))
    assert.isAtLeast(blocks("sh").length, 7)
  })

  it("finds a changed byte", () => {
    const script = blocks("sh").join("\n").replace("unhex()", "sed -i s/3107/3108/ leaf.json\nunhex()")
    const printed = execFileSync("bash", ["-euo", "pipefail", "-c", script], { cwd: top, encoding: "utf8" })
    assert.notInclude(printed, "leaf: in the batch")
    assert.include(printed, "batch: in the log")
  })
})
