/** What Python's XML parser and the rules of RFC 4287 find wrong with a feed. */
import { spawnSync } from "node:child_process"
import { pathOf } from "./programs.ts"

const script = new URL("atomCheck.py", import.meta.url).pathname

export const atomFaults = (feed: string): ReadonlyArray<string> => {
  const { stderr, stdout } = spawnSync(pathOf("python"), [script], { input: feed, encoding: "utf8" })
  return `${stdout}${stderr}`.split("\n").filter((line) => line !== "")
}
