/**
 * `npm run sbom`: the bill of materials of a release, as CycloneDX. `npm sbom --omit dev` leaves out whatever tests need as well,
 * so npm is shown the lock file without the packages of tests.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Locked, needed } from "./packages.ts"

const top = new URL("../../", import.meta.url)
const read = <A>(name: string): A => JSON.parse(readFileSync(fileURLToPath(new URL(name, top)), "utf8"))

type Manifest = Readonly<Record<string, unknown>>

const withoutTests = ({ devDependencies, scripts, workspaces, ...rest }: Manifest): Manifest => rest

export const sbom = (): string => {
  const lock = read<{ readonly packages: Readonly<Record<string, Locked & Manifest>> }>("package-lock.json")
  const inUse = needed(lock.packages)
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev }]) => (path === "" || inUse.has(path)) && dev !== true)
    .map(([path, locked]) => [path, path === "" ? withoutTests(locked) : locked])
  const folder = mkdtempSync(join(tmpdir(), "plumbline-sbom-"))
  const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  try {
    write("package.json", withoutTests(read("package.json")))
    write("package-lock.json", { ...lock, packages: Object.fromEntries(packages) })
    const args = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"]
    return execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(sbom())
