/** What is generated into READMEs is compared on main alone; this says which checkout is that. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { isMain } from "../support/branch.ts"

const inRepository = (
  work: (git: (...args: ReadonlyArray<string>) => string, folder: string) => void
): void => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-branch-"))
  const config = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-C", folder]
  try {
    work(
      (...args) =>
        execFileSync("git", [...config, ...args], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"]
        }).trim(),
      folder
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it("main is the branch, its commit without a branch, and a copy that is no repository", () => {
  inRepository((git, folder) => {
    git("init", "--quiet", "--initial-branch", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "one")
    assert.isTrue(isMain(folder, {}))
    git("checkout", "--quiet", "--detach")
    assert.isTrue(isMain(folder, {}))
    git("commit", "--quiet", "--allow-empty", "--message", "two")
    assert.isFalse(isMain(folder, {}))
    // A contributor's branch begins at main's own commit.
    git("checkout", "--quiet", "-b", "acme", "main")
    assert.isFalse(isMain(folder, {}))
  })
  const folder = mkdtempSync(join(tmpdir(), "plumbline-branch-"))
  mkdirSync(join(folder, ".git"))
  assert.isTrue(isMain(folder, {}))
  rmSync(folder, { recursive: true })
})

it("a public host names the branch, also where the checkout has none", () => {
  inRepository((git, folder) => {
    git("init", "--quiet", "--initial-branch", "main")
    git("commit", "--quiet", "--allow-empty", "--message", "one")
    assert.isFalse(isMain(folder, { GITHUB_HEAD_REF: "acme", GITHUB_REF_NAME: "12/merge" }))
    assert.isTrue(isMain(folder, { GITHUB_HEAD_REF: "", GITHUB_REF_NAME: "main" }))
  })
})
