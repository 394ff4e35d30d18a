/** What a release consists of: one version, allowed licences, a list of its parts, and a package that anybody can make again. */
import { createHash } from "node:crypto"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { notice, noticeFile } from "../../runtime/release/notice.ts"
import { allowed, packages } from "../../runtime/release/packages.ts"
import { sbom } from "../../runtime/release/sbom.ts"
import { runToEnd } from "../support/tools.ts"

const top = new URL("../../", import.meta.url).pathname
const read = (name: string) => readFileSync(join(top, name), "utf8")

describe("a release", () => {
  it("has one version, and the changelog knows it", () => {
    const { version } = packageJson
    const lock = JSON.parse(read("package-lock.json")) as { readonly version: string }
    assert.strictEqual(lock.version, version)
    const [unreleased, ...released] = [...read("CHANGELOG.md").matchAll(/^## \[(.+?)\]/gm)]
    assert.strictEqual(unreleased?.[1], "Unreleased")
    // Until the first release, there is no section for the version that is being made.
    if (released.length > 0) assert.strictEqual(released[0]?.[1], version)
  })

  it("needs only packages whose licences allow it, and lists them", () => {
    assert.deepStrictEqual(
      packages().filter(({ licence }) => !allowed.has(licence)),
      []
    )
    assert.strictEqual(readFileSync(noticeFile, "utf8"), notice(), "run: npm run notice")
  })

  it("has a bill of materials with every package", () => {
    const bill = JSON.parse(sbom()) as {
      readonly bomFormat: string
      readonly components: ReadonlyArray<{ readonly purl: string; readonly "bom-ref": string }>
    }
    assert.strictEqual(bill.bomFormat, "CycloneDX")
    const refs = new Set(bill.components.map((component) => component["bom-ref"]))
    const missing = packages().filter(({ name, version }) => !refs.has(`${name}@${version}`))
    assert.deepStrictEqual(missing, [])
  }, 60_000)
})

describe("the package", () => {
  const folders: Array<string> = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** Packs a copy of the checkout. */
  const pack = () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-pack-"))
    folders.push(folder)
    for (const name of [
      ...packageJson.files.filter((file) => file !== "npm-shrinkwrap.json" && !file.startsWith("!")),
      "package.json",
      "package-lock.json",
      ".npmrc",
      "README.md",
      "LICENSE"
    ]) {
      cpSync(join(top, name), join(folder, name), { recursive: true })
    }
    const { out } = runToEnd("npm", ["pack", "--json", "--silent"], { cwd: folder })
    const [tarball] = JSON.parse(out.slice(out.indexOf("["), out.lastIndexOf("]") + 1)) as ReadonlyArray<{
      readonly filename: string
      readonly files: ReadonlyArray<{ readonly path: string; readonly mode: number }>
    }>
    const file = join(folder, tarball?.filename ?? "")
    const bytes = readFileSync(file)
    const lock = runToEnd("tar", ["-xzOf", file, "package/npm-shrinkwrap.json"])
    // Under its own name it is part of every code hash.
    assert.strictEqual(lock.out, read("package-lock.json"))
    return { sha256: createHash("sha256").update(bytes).digest("hex"), files: tarball?.files ?? [] }
  }

  it("has what a service needs and nothing else, and is the same bytes whoever makes it", () => {
    const one = pack()
    const paths = one.files.map(({ path }) => path)
    const above = paths.filter((path) => !path.includes("/")).sort()
    assert.deepStrictEqual(above, [
      ".dockerignore",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "Dockerfile",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "npm-shrinkwrap.json",
      "package.json"
    ])
    const rooms = new Set(paths.filter((path) => path.includes("/")).map((path) => path.split("/")[0]))
    assert.deepStrictEqual([...rooms].sort(), ["core", "fixtures", "http", "mcp", "plugins", "runtime"])
    assert.include(paths, packageJson.bin.plumbline)
    assert.include(paths, "runtime/deploy/alerts.yml")
    // An image can be built of it, once the lock file has its name again (runtime/deploy/README.md, The first start).
    assert.include(paths, "runtime/deploy/compose.yaml")
    const sources = [...read("Dockerfile").matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, words = ""]) =>
      words.split(" ")
    )
    assert.isAbove(sources.length, 8)
    const there = new Set([...above.map((name) => name.replace("npm-shrinkwrap", "package-lock")), ...rooms])
    assert.deepStrictEqual(
      sources.filter((source) => !there.has(source)),
      []
    )
    const unwanted = /^(test|data|\.demo)\/|node_modules|\.test\.ts$|\.pem$|server-secret|\.env|\.log$|\.tgz$/
    assert.deepStrictEqual(
      paths.filter((path) => unwanted.test(path)),
      []
    )
    assert.strictEqual(pack().sha256, one.sha256)
  }, 120_000)
})
