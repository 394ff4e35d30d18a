/**
 * Programs that tests run and that a bare machine lacks: where each is looked for, and what installs it. Where one is missing
 * the tests that need it are skipped, and the run ends with what installs them; with `CI` or `REQUIRE_TOOLS` set they fail.
 * `.ci/run` installs what this file prints:
 *
 *     node test/support/programs.ts --packages
 */
import { existsSync, globSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Other npm packages: other people's clients, servers and suites, which only a few tests and benchmarks need. */
export const counterparties = new URL("../counterparties/", import.meta.url)

interface Program {
  /** Absolute paths, or names for the search path. The first that exists counts. */
  readonly places: ReadonlyArray<string>
  /** Globs of files without which it counts as missing. */
  readonly parts?: ReadonlyArray<string>
  /** Debian's packages that have it; without any, `counterparties` has it. */
  readonly packages?: ReadonlyArray<string>
}

/** Debian's own Python sees Debian's packages, and no other Python does. */
const pythonModule = (path: string) => join("/usr/lib/python3/dist-packages", path)

const programs = {
  caddy: { places: ["caddy"], packages: ["caddy"] },
  chromium: {
    places: [process.env["CHROMIUM"] ?? "", "chromium-headless-shell", "chromium", "chromium-browser"],
    packages: ["chromium-headless-shell"]
  },
  counterparties: { places: [fileURLToPath(new URL("node_modules/.package-lock.json", counterparties))] },
  curl: { places: ["curl"], packages: ["curl"] },
  // Renders the Helm chart, with the libraries that Helm uses.
  go: {
    places: ["go"],
    parts: ["/usr/share/gocode/src/github.com/Masterminds/sprig", "/usr/share/gocode/src/sigs.k8s.io/yaml"],
    packages: ["golang-go", "golang-github-masterminds-sprig-dev", "golang-k8s-sigs-yaml-dev"]
  },
  libreoffice: { places: ["soffice"], packages: ["libreoffice-calc-nogui"] },
  nginx: { places: ["nginx"], packages: ["nginx-light"] },
  openssl: { places: ["openssl"], packages: ["openssl"] },
  prometheus: { places: ["prometheus"], packages: ["prometheus"] },
  promtool: { places: ["promtool"], packages: ["prometheus"] },
  // Its smallest package lacks most of the standard library.
  python: {
    places: ["/usr/bin/python3"],
    parts: ["/usr/lib/python3*/http/client.py"],
    packages: ["python3"]
  },
  "python's cryptography": {
    places: [pythonModule("cryptography/__init__.py")],
    packages: ["python3-cryptography"]
  },
  "python's pandas": {
    places: [pythonModule("pandas/__init__.py")],
    packages: ["python3-pandas"]
  },
  r: { places: ["Rscript"], packages: ["r-base-core"] },
  swift: {
    places: [pythonModule("swift/proxy/server.py")],
    packages: ["swift-proxy", "swift-account", "swift-container", "swift-object"]
  },
  "systemd-analyze": { places: ["systemd-analyze"], packages: ["systemd"] }
} as const satisfies Readonly<Record<string, Program>>

export type Name = keyof typeof programs

/** Servers are where a user's search path may not lead. */
const searched = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"]

const firstOf = (places: ReadonlyArray<string>): string | undefined =>
  places
    .filter((place) => place !== "")
    .flatMap((place) => (isAbsolute(place) ? [place] : searched.map((folder) => join(folder, place))))
    .find((path) => existsSync(path))

const placeOf = ({ parts = [], places }: Program): string | undefined =>
  parts.some((part) => globSync(part).length === 0) ? undefined : firstOf(places)

const paths = new Map(
  (Object.entries(programs) as ReadonlyArray<[Name, Program]>).map(([name, program]) => [
    name,
    placeOf(program)
  ])
)

/** The one command that installs these, as root on Debian. */
export const installCommand = (names: Iterable<Name>): string => {
  const wanting = [...names].map((name): Program => programs[name])
  const packages = [...new Set(wanting.flatMap(({ packages = [] }) => packages))]
  return [
    ...(packages.length === 0
      ? []
      : [`apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`]),
    ...(wanting.some(({ packages }) => packages === undefined) ? ["npm ci --prefix test/counterparties"] : [])
  ].join(" && ")
}

/** Whether a missing program is a failure. */
const isRequired = (process.env["CI"] ?? "") !== "" || (process.env["REQUIRE_TOOLS"] ?? "") !== ""

const isAbsent = (name: Name): boolean => paths.get(name) === undefined

/** Whether tests that need these are skipped. Throws where they may not be. */
export const missing = (...names: ReadonlyArray<Name>): boolean => {
  const absent = names.filter(isAbsent)
  if (absent.length > 0 && isRequired) {
    throw new Error(
      `this needs ${absent.join(", ")}, and nothing may be missing with CI or REQUIRE_TOOLS set: ${installCommand(absent)}`
    )
  }
  return absent.length > 0
}

/** Where a program is. Throws what to install if it is missing. */
export const pathOf = (name: Name): string => {
  const path = paths.get(name)
  if (path === undefined) throw new Error(`this needs ${name}: ${installCommand([name])}`)
  return path
}

/** The programs whose lack is why tests of a file were skipped, by the text of the file. */
export const missingProgramsOf = (text: string): ReadonlyArray<Name> =>
  [...paths.keys()].filter(
    (name) =>
      isAbsent(name) &&
      [...text.matchAll(/\b(?:missing|layerNeeding|installed)\(([^)]*)/g)].some(([, names = ""]) =>
        names.includes(`"${name}"`)
      )
  )

if (process.argv[1] === import.meta.filename) {
  const packages = Object.values(programs).flatMap((program: Program) => program.packages ?? [])
  if (process.argv[2] === "--packages") console.log([...new Set(packages)].join(" "))
  else console.log(installCommand(Object.keys(programs) as ReadonlyArray<Name>))
}
