/** The list of releases says what the changelog, package.json and the history say, and makes tags of it. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { releasesOf } from "../../http/pages/docs/changelog.ts"
import packageJson from "../../package.json" with { type: "json" }
import { releases } from "../../runtime/release/releases.ts"
import { tag } from "../../runtime/release/tags.ts"

const top = new URL("../../", import.meta.url).pathname

const gitIn =
  (folder: string) =>
  (...args: ReadonlyArray<string>): string =>
    execFileSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        ...process.env,
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b.example",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b.example"
      }
    }).trim()

/** Whether the history here has a commit: a shallow clone or a package may not. */
const hasCommit = (commit: string): boolean => {
  try {
    gitIn(top)("cat-file", "-e", `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

describe("the list of releases", () => {
  const written = releasesOf(readFileSync(join(top, "CHANGELOG.md"), "utf8"))
    .filter(({ version }) => version !== "Unreleased")
    .toReversed()

  it("has those of the changelog with their days, up to the version of package.json", () => {
    // The commit that is the release cannot name itself: a commit after it adds the line.
    const isBeingMade = written.length === releases.length + 1
    assert.deepStrictEqual(
      releases.map(({ version }) => version),
      written.slice(0, isBeingMade ? -1 : undefined).map(({ version }) => version)
    )
    assert.strictEqual(written.at(-1)?.version, packageJson.version)
    for (const { date, version } of releases) {
      const day = written.find((each) => each.version === version)?.date
      if (day !== undefined) assert.strictEqual(date, day, version)
    }
  })

  it.each(releases)("names the commit of $version and its day", ({ commit, date, version }) => {
    assert.match(commit, /^[0-9a-f]{40}$/)
    if (!hasCommit(commit)) return
    const git = gitIn(top)
    assert.strictEqual(JSON.parse(git("show", `${commit}:package.json`)).version, version)
    assert.strictEqual(git("log", "-1", "--format=%cs", commit), date)
  })

  it("makes the tags that are missing, and never moves one", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-tags-"))
    try {
      const git = gitIn(folder)
      git("init", "--quiet")
      git("config", "user.name", "a")
      git("config", "user.email", "a@b.example")
      const commitOf = (message: string): string => {
        git("commit", "--quiet", "--allow-empty", "--message", message)
        return git("rev-parse", "HEAD")
      }
      const one = { version: "1.0.0", commit: commitOf("one"), date: "2026-11-25" }
      const two = { version: "2.0.0", commit: commitOf("two"), date: "2026-11-26" }
      assert.deepStrictEqual(tag(folder, [one]), ["v1.0.0"])
      assert.deepStrictEqual(tag(folder, [one, two]), ["v2.0.0"])
      assert.deepStrictEqual(tag(folder, [one, two]), [])
      assert.strictEqual(git("rev-parse", "v1.0.0^{commit}"), one.commit)
      assert.strictEqual(git("cat-file", "-t", "v2.0.0"), "tag")
      assert.throws(() => tag(folder, [{ ...one, commit: two.commit }]), /not the released commit: v1\.0\.0/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
