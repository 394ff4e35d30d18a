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
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { registryProof, registryProofPath } from "../../mcp/McpSettings.ts"
import { registryEntry } from "../../mcp/registryEntry.ts"
import packageJson from "../../package.json" with { type: "json" }
import { sbom } from "./sbom.ts"
import { makeService } from "./service.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** What strangers install beside the service, which `service.ts` makes; the package of the top is the source release. */
const workspaces = [
  "@plumbline/client",
  "@plumbline/verifier",
  "@plumbline/notary",
  "@plumbline/plugin",
  "@plumbline/witness"
]

const platforms = ["linux/amd64", "linux/arm64"]

const sha256Form = /^sha256:[0-9a-f]{64}$/

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
  /** The digest of the list of both platforms, and the image that it was built from, by its digest; absent where no image was made. */
  readonly image?: File & {
    readonly platforms: ReadonlyArray<string>
    readonly digest: string
    readonly base: string
  }
  readonly sbom: File
  readonly notes: File
  /** The entry for the registry of MCP servers. */
  readonly mcp: File
  /** What the domain has to serve for that registry to believe it, and where; absent where no key was named. */
  readonly proof?: File & { readonly url: string }
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

const packed = async (folder: string): Promise<ReadonlyArray<File>> => {
  run("npm", ["pack", "--silent", "--pack-destination", folder])
  const service = mkdtempSync(join(tmpdir(), "plumbline-service-"))
  await makeService(service)
  run("npm", ["pack", "--silent", "--pack-destination", folder], service)
  rmSync(service, { recursive: true })
  for (const name of workspaces)
    run("npm", ["pack", "--silent", "--workspace", name, "--pack-destination", folder])
  return readdirSync(folder)
    .filter((file) => file.endsWith(".tgz"))
    .sort()
    .map((file) => fileOf(folder, file))
}

const digestIn = (json: string, member: string): string => {
  const digest: unknown = JSON.parse(json)[member]
  if (typeof digest !== "string" || !sha256Form.test(digest)) throw new Error(`Docker said no ${member}`)
  return digest
}

/** The image that the Dockerfile names by a version, by the digest that its registry has for that now. */
const baseOf = (dockerfile: string): string => {
  const [, name = ""] = /^ARG BASE=(\S+)$/m.exec(dockerfile) ?? []
  const manifest = run("docker", ["buildx", "imagetools", "inspect", name, "--format", "{{json .Manifest}}"])
  return `${name}@${digestIn(manifest, "digest")}`
}

/** An archive of the image for both platforms, as OCI has it. */
const imageIn = (folder: string, version: string, commit: string): NonNullable<Release["image"]> => {
  const [file, facts] = ["plumbline-image.tar", join(folder, "plumbline-image.json")]
  const base = baseOf(readFileSync(join(top, "Dockerfile"), "utf8"))
  run("docker", [
    ...["buildx", "build", "--platform", platforms.join(","), "--provenance", "true", "--sbom", "true"],
    ...[
      "--build-arg",
      `BASE=${base}`,
      "--build-arg",
      `VERSION=${version}`,
      "--build-arg",
      `REVISION=${commit}`
    ],
    ...["--output", `type=oci,dest=${join(folder, file)}`, "--metadata-file", facts, "."]
  ])
  const digest = digestIn(readFileSync(facts, "utf8"), "containerimage.digest")
  return { ...fileOf(folder, file), platforms, digest, base }
}

/** Makes a release of what is checked out. */
const make = async (folder: string, url: string, withImage: boolean): Promise<Release> => {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`)
  mkdirSync(folder, { recursive: true })
  const { version } = packageJson
  const commit = run("git", ["rev-parse", "HEAD"]).trim()
  // That of the service's setting of this name.
  const key = process.env["MCP_REGISTRY_KEY"] || undefined
  const notes = notesOf(readFileSync(join(top, "CHANGELOG.md"), "utf8"), version)
  const release: Release = {
    version,
    commit,
    packages: await packed(folder),
    ...(withImage ? { image: imageIn(folder, version, commit) } : {}),
    sbom: written(folder, "sbom.cdx.json", sbom()),
    notes: written(folder, "notes.md", notes),
    mcp: written(folder, "server.json", `${JSON.stringify(registryEntry(url), null, 2)}\n`),
    ...(key === undefined
      ? {}
      : {
          proof: {
            ...written(folder, "mcp-registry-auth", registryProof(key)),
            url: new URL(registryProofPath, url).href
          }
        })
  }
  writeFileSync(join(folder, "release.json"), `${JSON.stringify(release, null, 2)}\n`)
  return release
}

const filesOf = ({ image, mcp, notes, packages, proof, sbom }: Release): ReadonlyArray<File> => [
  ...packages,
  ...(image === undefined ? [] : [image]),
  sbom,
  notes,
  mcp,
  ...(proof === undefined ? [] : [proof])
]

/** The source release, for whoever unpacks and runs it in place: no registry takes it, since it is the private package of the top. */
const sourcesOf = (version: string): string => `plumbline-${version}.tgz`

/** What publishing runs, in the folder, with IMAGE as the name of the image in its registry. */
const stepsOf = (
  { image, packages, proof, version }: Release,
  name: string | undefined
): ReadonlyArray<readonly [program: string, ...args: ReadonlyArray<string>]> => {
  // npm attests where a package was built only in a job that may ask its host for a token (`id-token: write`), and refuses elsewhere.
  const attests = process.env["ACTIONS_ID_TOKEN_REQUEST_URL"] !== undefined
  const provenance = attests ? "--provenance" : "--no-provenance"
  const sources = sourcesOf(version)
  return [
    // First, since nothing that is published can be taken back.
    ...(proof === undefined
      ? []
      : [
          [
            "curl",
            "--silent",
            "--show-error",
            "--fail",
            "--output",
            "mcp-registry-auth.served",
            proof.url
          ] as const,
          ["cmp", proof.file, "mcp-registry-auth.served"] as const
        ]),
    ...packages
      .filter(({ file }) => file !== sources)
      .map(({ file }) => ["npm", "publish", `./${file}`, "--access", "public", provenance] as const),
    ...(image === undefined
      ? []
      : [["skopeo", "copy", "--all", `oci-archive:${image.file}`, `docker://${name}:${version}`] as const]),
    [
      "gh",
      "release",
      "create",
      `v${version}`,
      "--notes-file",
      "notes.md",
      sources,
      "sbom.cdx.json",
      "release.json"
    ],
    // Without its proof the registry believes no domain.
    ...(proof === undefined ? [] : [["mcp-publisher", "publish", "server.json"] as const])
  ]
}

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
    const { image, packages, version } = await make(resolve(folder), values.url, !values["without-image"])
    process.stdout.write(
      `${[
        `made ${version} in ${folder}: nothing is published`,
        ...packages.map(({ bytes, file, sha256 }) => `  ${sha256}  ${file} (${bytes} bytes)`),
        image === undefined
          ? "  no image"
          : `  ${image.digest}  ${image.platforms.join(", ")}, built from ${image.base}`,
        `publish it with: npm run release -- publish ${folder}`
      ].join("\n")}\n`
    )
  }
}
