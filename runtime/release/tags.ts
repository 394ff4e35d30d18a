/** `npm run release:tags` makes a tag of each release in releases.json; `git push --tags` publishes them. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Release, releases } from "./releases.ts"

export const tagOf = ({ version }: Release): string => `v${version}`

/**
 * Tags the releases that have no tag yet in the repository of a folder, and returns the new tags. A tag on another commit is an
 * error: whoever fetched it would keep it.
 */
export const tag = (folder: string, all: ReadonlyArray<Release> = releases): ReadonlyArray<string> => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8" }).trim()
  const tags = new Set(git("tag", "--list").split("\n"))
  const moved = all.filter(
    (release) => tags.has(tagOf(release)) && git("rev-parse", `${tagOf(release)}^{commit}`) !== release.commit
  )
  if (moved.length > 0) throw new Error(`not the released commit: ${moved.map(tagOf).join(", ")}`)
  const missing = all.filter((release) => !tags.has(tagOf(release)))
  for (const release of missing)
    git(
      "tag",
      "--annotate",
      "--message",
      `Plumbline ${release.version}, ${release.date}`,
      tagOf(release),
      release.commit
    )
  return missing.map(tagOf)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const newTags = tag(fileURLToPath(new URL("../..", import.meta.url)))
  process.stdout.write(newTags.length === 0 ? "Every release has its tag.\n" : `${newTags.join("\n")}\n`)
}
