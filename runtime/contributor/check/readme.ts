/** Rules of a plugin's README. */
import { type Finding, scaffoldMark, todo, wrong } from "./Finding.ts"

/** The sections that every plugin's README has; one that does not apply says so. */
export const sections = ["## Reads", "## Metrics", "## Check it yourself", "## Not covered"] as const

/** What is wrong with a README; undefined is a file that is not there. */
export const readmeFindings = (text: string | undefined): ReadonlyArray<Finding> => {
  if (text === undefined) {
    return [wrong("README", "there is no README.md", `write one with the sections ${sections.join(", ")}`)]
  }
  const found: Array<Finding> = []
  if (!/^# \S/.test(text))
    found.push(wrong("README", "it has no title", "begin with # and the network's name"))
  for (const section of sections) {
    const [, after] = text.split(new RegExp(`^${section}[ \\t]*$`, "m"))
    if (after === undefined)
      found.push(wrong("README", `${section} is missing`, `add the section ${section}`))
    else if ((after.split(/^## /m)[0] ?? "").trim() === "") {
      found.push(wrong("README", `${section} is empty`, "say it in a few lines, also when it does not apply"))
    }
  }
  if (text.includes(scaffoldMark)) {
    found.push(todo("README", "it holds the scaffold's example", "say what your plugin reads"))
  }
  return found
}
