/** Rules for a plugin's README. */
import { type Finding, scaffoldMark, todo, wrong } from "./Finding.ts"

/** The sections of every plugin's README. A section that does not apply says so. */
export const sections = ["## Reads", "## Metrics", "## Check it yourself", "## Not covered"] as const

/** Findings for a README; undefined means that there is no file. */
export const readmeFindings = (text: string | undefined): ReadonlyArray<Finding> => {
  if (text === undefined) {
    return [wrong("README", "README.md does not exist", `write one with the sections ${sections.join(", ")}`)]
  }
  const findings: Array<Finding> = []
  if (!/^# \S/.test(text))
    findings.push(wrong("README", "it has no title", "start with # and the name of the network"))
  for (const section of sections) {
    const [, after] = text.split(new RegExp(`^${section}[ \\t]*$`, "m"))
    if (after === undefined)
      findings.push(wrong("README", `${section} is missing`, `add the section ${section}`))
    else if ((after.split(/^## /m)[0] ?? "").trim() === "") {
      findings.push(wrong("README", `${section} is empty`, "write a few lines, even if it does not apply"))
    }
  }
  if (text.includes(scaffoldMark)) {
    findings.push(
      todo("README", "it still contains the scaffold's example", "describe what your plugin reads")
    )
  }
  return findings
}
