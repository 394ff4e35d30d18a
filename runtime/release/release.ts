/**
 * Makes all of a release in a folder, and publishes one that was made:
 *
 *     npm run release -- make <folder> --url https://plumbline.example [--without-image]
 *     npm run release -- publish <folder> [--dry-run]
 *
 * `make` publishes nothing. `publish` is what a person runs: it sends the files that were made, after it has compared each with its hash.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { registryEntry } from "../../mcp/registryEntry.ts"
import packageJson from "../../package.json" with { type: "json" }
import { sbom } from "./sbom.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** What strangers install; the service is the package of the top. */
const workspaces = [
  "@plumbline/client",
  "@plumbline/verifier",
  "@plumbline/notary",
  "@plumbline/plugin",
  "@plumbline/witness"
]

const platforms = ["linux/amd64", "linux/arm64"]

interface File {
  readonly file: string
  readonly bytes: number
  readonly sha256: string
}

/** What a folder has of a release. */
export interface Release {
  readonly version: string
  readonly commit: string
  readonly packages: ReadonlyArray<File>
  /** The digest of the list of both platforms; absent where no image was made. */
  readonly image?: File & { readonly platforms: ReadonlyArray<string>; readonly digest: string }
  readonly sbom: File
  readonly notes: File
  /** The entry for the registry of MCP servers. */
  readonly mcp: File
}

const run = (program: string, args: ReadonlyArray<string>, cwd = top): string =>
  execFileSync(program, [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

const fileOf = (folder: string, file: string): File => {
  const content = readFileSync(join(folder, file))
  return { file, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") }
}

const written = (folder: string, file: string, text: string): File => {
  writeFileSync(join(folder, file), text)
  return fileOf(folder, file)
}

/** The section of a version in the changelog, without its heading; that of what is not released where there is none. */
export const notesOf = (changelog: string, version: string): string => {
  const sections = changelog.split(/^(?=## \[)/m)
  const of = (name: string) => sections.find((section) => section.startsWith(`## [${name}]`))
  const section = of(version) ?? of("Unreleased") ?? ""
  return `${section.split("\n").slice(1).join("\n").trim()}\n`
}

const packed = (folder: string): ReadonlyArray<File> => {
  run("npm", ["pack", "--silent", "--pack-destination", folder])
  for (const name of workspaces)
    run("npm", ["pack", "--silent", "--workspace", name, "--pack-destination", folder])
  return readdirSync(folder)
    .filter((file) => file.endsWith(".tgz"))
    .sort()
    .map((file) => fileOf(folder, file))
}

/** An archive of the image for both platforms, as OCI has it. */
const imageIn = (folder: string, version: string, commit: string): NonNullable<Release["image"]> => {
  const [file, facts] = ["plumbline-image.tar", join(folder, "plumbline-image.json")]
  run("docker", [
    ...["buildx", "build", "--platform", platforms.join(","), "--provenance", "true", "--sbom", "true"],
    ...["--label", `org.opencontainers.image.version=${version}`],
    ...["--label", `org.opencontainers.image.revision=${commit}`],
    ...["--output", `type=oci,dest=${join(folder, file)}`, "--metadata-file", facts, "."]
  ])
  const digest: unknown = JSON.parse(readFileSync(facts, "utf8"))["containerimage.digest"]
  if (typeof digest !== "string" || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error("the builder of the image said no digest")
  return { ...fileOf(folder, file), platforms, digest }
}

/** Makes a release of what is checked out. */
const make = (folder: string, url: string, withImage: boolean): Release => {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
  mkdirSync(folder, { recursive: true })
  const { version } = packageJson
  const commit = run("git", ["rev-parse", "HEAD"]).trim()
  const notes = notesOf(readFileSync(join(top, "CHANGELOG.md"), "utf8"), version)
  const release: Release = {
    version,
    commit,
    packages: packed(folder),
    ...(withImage ? { image: imageIn(folder, version, commit) } : {}),
    sbom: written(folder, "sbom.cdx.json", sbom()),
    notes: written(folder, "notes.md", notes),
    mcp: written(folder, "server.json", `${JSON.stringify(registryEntry(url), null, 2)}\n`)
  }
  writeFileSync(join(folder, "release.json"), `${JSON.stringify(release, null, 2)}\n`)
  return release
}

const filesOf = ({ image, mcp, notes, packages, sbom }: Release): ReadonlyArray<File> => [
  ...packages,
  ...(image === undefined ? [] : [image]),
  sbom,
  notes,
  mcp
]

/** What publishing runs, in the folder, with IMAGE as the name of the image in its registry. */
const stepsOf = (
  { image, packages, version }: Release,
  name: string | undefined
): ReadonlyArray<readonly [program: string, ...args: ReadonlyArray<string>]> => [
  ...packages.map(
    ({ file }) => ["npm", "publish", `./${file}`, "--access", "public", "--provenance"] as const
  ),
  ...(image === undefined
    ? []
    : [["skopeo", "copy", "--all", `oci-archive:${image.file}`, `docker://${name}:${version}`] as const]),
  ["gh", "release", "create", `v${version}`, "--notes-file", "notes.md", "sbom.cdx.json", "release.json"],
  ["mcp-publisher", "publish", "server.json"]
]

/** Publishes what was made, and nothing else; only says what it would run if `isDry`. */
const publish = (folder: string, isDry: boolean): void => {
  const release: Release = JSON.parse(readFileSync(join(folder, "release.json"), "utf8"))
  for (const one of filesOf(release))
    if (fileOf(folder, one.file).sha256 !== one.sha256) throw new Error(`${one.file} is not what was made`)
  const image = process.env["IMAGE"]
  if (release.image !== undefined && image === undefined)
    throw new Error("IMAGE: set it to the name of the image in its registry")
  for (const [program, ...args] of stepsOf(release, image)) {
    process.stdout.write(`${[program, ...args].join(" ")}\n`)
    if (!isDry) run(program, args, folder)
  }
}

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: "string" },
      "without-image": { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false }
    }
  })
  const [verb, folder] = positionals
  if (folder === undefined || (verb !== "make" && verb !== "publish"))
    throw new Error("say `make <folder> --url <address of the service>` or `publish <folder>`")
  if (verb === "publish") publish(resolve(folder), values["dry-run"])
  else if (values.url === undefined)
    throw new Error("--url: the address of the service, for the registry of MCP")
  else {
    const { image, packages, version } = make(resolve(folder), values.url, !values["without-image"])
    process.stdout.write(
      `${[
        `made ${version} in ${folder}: nothing is published`,
        ...packages.map(({ bytes, file, sha256 }) => `  ${sha256}  ${file} (${bytes} bytes)`),
        image === undefined ? "  no image" : `  ${image.digest}  ${image.platforms.join(", ")}`,
        `publish it with: npm run release -- publish ${folder}`
      ].join("\n")}\n`
    )
  }
}
