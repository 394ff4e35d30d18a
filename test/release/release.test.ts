/** The job of a release, tried without publishing: its packages, image, bill of materials, notes and the entry for the registry of MCP. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { notesOf, type Release } from "../../runtime/release/release.ts"
import { registryKey } from "../support/service.ts"

const top = new URL("../..", import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), "plumbline-release-"))
const out = join(folder, "release")
const digest = `sha256:${"ab".repeat(32)}`
const baseDigest = `sha256:${"cd".repeat(32)}`

/** A program that stands in for one which is not here: it writes down how it was called, and does what a shell says. */
const standIn = (name: string, script = ""): void => {
  const file = join(folder, "bin", name)
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> ${join(folder, "calls")}\n${script}\n`)
  chmodSync(file, 0o755)
}

const release = (...words: ReadonlyArray<string | Readonly<Record<string, string>>>) =>
  spawnSync(
    process.execPath,
    [join(top, "runtime/release/release.ts"), ...words.filter((word) => typeof word === "string")],
    {
      cwd: top,
      encoding: "utf8",
      env: {
        ...process.env,
        ...Object.assign({}, ...words.filter((word) => typeof word !== "string")),
        PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
        IMAGE: "images.example/plumbline",
        MCP_REGISTRY_KEY: registryKey
      }
    }
  )
const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n")
const result = (): Release => JSON.parse(readFileSync(join(out, "release.json"), "utf8"))

beforeAll(() => {
  mkdirSync(join(folder, "bin"))
  // A builder that finds where the archive and the facts go, as buildx does.
  standIn(
    "docker",
    `case "$*" in "buildx imagetools"*) echo '{"digest":"${baseDigest}"}' ;; esac
for word in "$@"; do
  case "$word" in type=oci,dest=*) echo image > "\${word#type=oci,dest=}" ;; *plumbline-image.json) echo '{"containerimage.digest":"${digest}"}' > "$word" ;; esac
done`
  )
  for (const name of ["skopeo", "gh", "mcp-publisher", "curl", "cmp"]) standIn(name)
  const { status, stderr, stdout } = release("make", out, "--url", "https://plumbline.example")
  assert.strictEqual(status, 0, stderr)
  assert.match(stdout, /nothing is published/)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a release that is made", () => {
  it("has the packages of strangers and the service, each with its hash", () => {
    const { packages } = result()
    assert.deepStrictEqual(
      packages.map(({ file }) => file),
      [
        `plumbline-${packageJson.version}.tgz`,
        ...["client", "notary", "plugin", "service", "verifier", "witness"].map(
          (name) => `plumbline-${name}-${packageJson.version}.tgz`
        )
      ]
    )
    for (const { bytes, file, sha256 } of packages) {
      const content = readFileSync(join(out, file))
      assert.deepStrictEqual(
        [content.length, createHash("sha256").update(content).digest("hex")],
        [bytes, sha256]
      )
    }
  })

  it("has an image for two architectures with its digest, of the commit that it names", () => {
    const { commit, image } = result()
    assert.deepStrictEqual([image?.platforms, image?.digest], [["linux/amd64", "linux/arm64"], digest])
    const [manifestCall, built = ""] = calls()
    const version = `node:${packageJson.devDependencies.node}-bookworm-slim`
    assert.strictEqual(
      manifestCall,
      `docker buildx imagetools inspect ${version} --format {{json .Manifest}}`
    )
    assert.strictEqual(image?.base, `${version}@${baseDigest}`)
    assert.include(built, "--platform linux/amd64,linux/arm64")
    assert.include(
      built,
      `--build-arg BASE=${image?.base} --build-arg VERSION=${packageJson.version} --build-arg REVISION=${commit}`
    )
    assert.notInclude(built, "--push")
  })

  it("has a bill of materials, notes and an entry for the registry of MCP", () => {
    assert.strictEqual(JSON.parse(readFileSync(join(out, "sbom.cdx.json"), "utf8")).bomFormat, "CycloneDX")
    assert.isNotEmpty(readFileSync(join(out, "notes.md"), "utf8").trim())
    const { name, remotes } = JSON.parse(readFileSync(join(out, "server.json"), "utf8"))
    assert.strictEqual(name, "example.plumbline/plumbline")
    assert.strictEqual(remotes[0].url, "https://plumbline.example/mcp")
    // What the service of that address serves with the same setting.
    assert.strictEqual(result().proof?.url, "https://plumbline.example/.well-known/mcp-registry-auth")
    assert.strictEqual(
      readFileSync(join(out, "mcp-registry-auth"), "utf8"),
      `v=MCPv1; k=ed25519; p=${registryKey}\n`
    )
  })

  it("publishes nothing while it is made or tried, and then what was made and nothing else", () => {
    const before = calls().length
    // What a registry answers, and the build.
    assert.strictEqual(before, 2)
    const { status, stdout } = release("publish", out, "--dry-run")
    assert.strictEqual(status, 0)
    assert.strictEqual(calls().length, before)
    const lines = stdout.trim().split("\n")
    const sources = `plumbline-${packageJson.version}.tgz`
    const published = result().packages.filter(({ file }) => file !== sources)
    assert.lengthOf(published, result().packages.length - 1)
    // Nobody attests where a package was built on a machine of one's own: npm refuses to.
    for (const { file } of published)
      assert.include(lines, `npm publish ./${file} --access public --no-provenance`)
    assert.include(
      lines,
      `gh release create v${packageJson.version} --notes-file notes.md ${sources} sbom.cdx.json release.json`
    )
    const attested = release("publish", out, "--dry-run", {
      ACTIONS_ID_TOKEN_REQUEST_URL: "https://token.example"
    })
    assert.match(attested.stdout, /^npm publish \.\/\S+\.tgz --access public --provenance$/m)
    assert.include(
      lines,
      `skopeo copy --all oci-archive:plumbline-image.tar docker://images.example/plumbline:${packageJson.version}`
    )
    // The proof of the domain is compared before anything is sent.
    assert.match(lines[0] ?? "", /^curl .* https:\/\/plumbline\.example\/\.well-known\/mcp-registry-auth$/)
    assert.strictEqual(lines[1], "cmp mcp-registry-auth mcp-registry-auth.served")
    assert.strictEqual(lines.at(-1), "mcp-publisher publish server.json")
    standIn("npm")
    assert.strictEqual(release("publish", out).status, 0)
    assert.deepStrictEqual(calls().slice(before), lines)
    const after = calls().length
    standIn("cmp", "exit 1")
    assert.notStrictEqual(release("publish", out).status, 0)
    assert.deepStrictEqual(
      calls()
        .slice(after)
        .map((call) => call.split(" ")[0]),
      ["curl", "cmp"]
    )
    appendFileSync(join(out, "notes.md"), "and more\n")
    const changed = release("publish", out, "--dry-run")
    assert.notStrictEqual(changed.status, 0)
    assert.match(changed.stderr, /notes\.md is not what was made/)
  })

  it("goes into an empty folder only", () => {
    assert.match(release("make", out, "--url", "https://plumbline.example").stderr, /is not empty/)
  })
})

describe("the job of a public host", () => {
  it("makes a release and publishes nothing", () => {
    const steps = readFileSync(join(top, ".github/workflows/release.yml"), "utf8")
      .split("\n")
      .flatMap((line) => /^ +- run: (.+)$/.exec(line)?.[1] ?? [])
    assert.deepStrictEqual(steps, [
      "npm ci --no-progress",
      'npm run release -- make release --url "$PUBLIC_URL"',
      "npm run release -- publish release --dry-run"
    ])
  })
})

describe("the notes of a release", () => {
  const changelog = "# Changelog\n\n## [Unreleased]\n\n- new\n\n## [2.0.0] - 2026-11-25\n\n- old\n"
  it("are its section of the changelog, or that of what is not released yet", () => {
    assert.strictEqual(notesOf(changelog, "2.0.0"), "- old\n")
    assert.strictEqual(notesOf(changelog, "3.0.0"), "- new\n")
  })
})
