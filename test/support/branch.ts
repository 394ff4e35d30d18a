/** Which branch a checkout is of, for what only main has to be: a branch of a contributor does not write what is generated. */
import { spawnSync } from "node:child_process"

const git = (folder: string, ...args: ReadonlyArray<string>): string | undefined => {
  const { status, stdout } = spawnSync("git", ["-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })
  return status === 0 ? stdout.trim() : undefined
}

/** False on a branch other than main, and on a commit that is no branch's and not main's. What is no repository is a copy of main. */
export const isMain = (
  folder: string,
  environment: Readonly<Record<string, string | undefined>>
): boolean => {
  const named = environment["GITHUB_HEAD_REF"] || environment["GITHUB_REF_NAME"]
  if (named !== undefined && named !== "") return named === "main"
  const head = git(folder, "rev-parse", "HEAD")
  if (head === undefined) return true
  const branch = git(folder, "symbolic-ref", "--short", "HEAD")
  if (branch !== undefined) return branch === "main"
  return ["main", "origin/main"].some(
    (name) => git(folder, "rev-parse", "--verify", "--quiet", name) === head
  )
}
