/**
 * Makes the package of the service, `@plumbline/service`, in a folder: one bundle of its program and threads, one of the packages that
 * they import, and beside them, as they are, the sources that every run names by their hashes. Whoever installs it installs with it
 * only what holds machine code.
 */
import { globSync, readFileSync } from "node:fs"
import { cp, glob, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Plugin, transform } from "esbuild"
import { assetsBuilt, shipped, writtenOf } from "../../http/explorer/assets/build.ts"
import packageJson from "../../package.json" with { type: "json" }
import { sharedFiles, sharedFolders } from "../collector/codeHash.ts"
import { packages } from "./packages.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** Packages that hold machine code, for processors or for WebAssembly. */
export const native = ["@electric-sql/pglite", "@resvg/resvg-js"] as const

/** What pictures are drawn with. Pages have their fonts in what was built of them. */
const drawn = ["@fontsource/ibm-plex-sans"]

/** What is not bundled: those, and the builder of what was built before. */
const isLeft = (name: string): boolean =>
  name === "esbuild" || native.some((one) => one === name) || name in packageJson.optionalDependencies

/** `effect` of `effect/sql/SqlClient`, and `@noble/hashes` of `@noble/hashes/sha2.js`. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Files of the rooms, without the clients, which are packages of their own, and without what makes a release or is made by one. */
export const files = (): ReadonlyArray<string> =>
  globSync("{core,http,mcp,plugins,runtime}/**", { cwd: top, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(top, join(entry.parentPath, entry.name)))
    .filter((path) => !elsewhere.test(path) && !built.test(path))
    .sort()

const elsewhere =
  /^(http\/(client\/(python|typescript|\w+\.ts)|explorer\/client)|runtime\/(deploy|release))(\/|$)/

const built = /(^|\/)(node_modules|dist|generated|__pycache__|[^/]*\.egg-info)\//

/** What a run names by its hash: it goes as it is, but for the pages about it. */
const isHashed = (path: string): boolean =>
  (["plugins", ...sharedFolders].some((folder) => path.startsWith(`${folder}/`)) ||
    sharedFiles.includes(path)) &&
  !path.endsWith("README.md")

/** What is read as a file, or run in a process that may read little. */
const readAsFiles = [
  "CHANGELOG.md",
  "LICENSE",
  "http/explorer/assets/icon.svg",
  "http/explorer/styles/chart.css",
  "http/explorer/styles/tokens.css",
  "runtime/collector/childMessages.ts",
  "runtime/collector/elsewhere.child.ts",
  "runtime/collector/ownModules.ts",
  "runtime/database/engine.ts",
  "runtime/derivation/derive.child.ts",
  "runtime/plumbline.js",
  "runtime/typescript.js",
  "runtime/upstream/replay.ts"
]

/** Names that are imported of a module, and whether all of it is. */
interface Imported {
  readonly names: Set<string>
  isWhole: boolean
}

const statements =
  /\b(?:import|export)\s*(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}|(\*\s*as\s*[\w$]+))?\s*from\s*"([^"]+)"/g
const parts = /\{([^{}]*)\}\s*=\s*await import\("([^"]+)"\)/g
const dynamic = /\bimport\("([^"]+)"\)/g

/** What the rooms import of other packages when they run, by module. */
const imported = async (): Promise<ReadonlyMap<string, Imported>> => {
  const all = new Map<string, Imported>()
  const of = (specifier: string): Imported => {
    const one = all.get(specifier) ?? { names: new Set<string>(), isWhole: false }
    all.set(specifier, one)
    return one
  }
  const take = (specifier: string, list = "", separator: RegExp | string): void => {
    for (const part of list.split(",")) {
      const [name = ""] = part.trim().split(separator)
      if (name !== "") of(specifier).names.add(name)
    }
  }
  for (const path of files().filter((one) => one.endsWith(".ts"))) {
    const { code } = await transform(await readFile(join(top, path), "utf8"), {
      loader: "ts",
      format: "esm",
      target: "esnext"
    })
    for (const [, whole, list, space, specifier = ""] of code.matchAll(statements)) {
      if (whole !== undefined) of(specifier).names.add("default")
      if (space !== undefined) of(specifier).isWhole = true
      take(specifier, list, " as ")
    }
    for (const [, list, specifier = ""] of code.matchAll(parts)) take(specifier, list, ":")
    for (const [, specifier = ""] of code.replaceAll(parts, "").matchAll(dynamic))
      of(specifier).isWhole = true
  }
  return new Map(
    [...all]
      .filter(([one]) => packageOf(one) in packageJson.dependencies && !isLeft(packageOf(one)))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
}

/** A module that gives what is imported of another, under the same names: of CommonJS a bundle would keep the default alone. */
const wrapperOf = async (specifier: string, { isWhole, names }: Imported): Promise<string> => {
  const module: Readonly<Record<string, unknown>> = await import(specifier)
  const from = JSON.stringify(specifier)
  const own = (isWhole ? Object.keys(module) : [...names])
    .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name in module)
    .sort()
  if (!("module.exports" in module)) return `export { ${own.join(", ")} } from ${from}`
  return [
    `import * as all from ${from}`,
    "export default all.default",
    `export const { ${own.filter((name) => name !== "default").join(", ")} } = all`
  ].join("\n")
}

/**
 * What nothing here runs and esbuild keeps: two pages of documentation with a program of megabytes each, which stand in the index of
 * what is imported, a second parser of HTTP that has to be asked for, the first for processors that the package is not for, what plays
 * hosts in tests, what checks forms of MCP, which our server never asks for, and the types of what is attached to mails: ours have
 * nothing attached.
 */
const unused =
  /\/http-api\/internal\/httpApi(Scalar|Swagger)\.js$|\/undici\/lib\/(milo\/\S+|mock\/[^/]+|llhttp\/llhttp-wasm)\.js$|\/server\/dist\/ajvProvider-[^/]+\.mjs$|\/nodemailer\/dist\/esm\/mime-funcs\/mime-types\.js$/

/** What takes the place of what an unused module exports. The server of MCP makes one of what checks forms. */
const placeholderIn = (path: string): string => (path.includes("/ajvProvider-") ? "class {}" : '""')

const withoutUnused: Plugin = {
  name: "without unused modules",
  setup: ({ onLoad }) => {
    onLoad({ filter: unused }, async ({ path }) => ({
      contents: path.includes("/undici/")
        ? 'module.exports = ""'
        : Object.keys(await import(path))
            .map((name) => `export const ${name} = ${placeholderIn(path)}`)
            .join("\n")
    }))
  }
}

const wrapped = (modulesIn: ReadonlyMap<string, Imported>): Plugin => ({
  name: "wrapped",
  setup: ({ onLoad, onResolve }) => {
    // With the ending of a module, whose default of CommonJS is all of it, as in Node.
    onResolve({ filter: /^wrapped:/ }, ({ path }) => ({
      path: `${path.slice("wrapped:".length)}.mjs`,
      namespace: "wrapped"
    }))
    onLoad({ filter: /.*/, namespace: "wrapped" }, async ({ path }) => {
      const specifier = path.slice(0, -".mjs".length)
      const one = modulesIn.get(specifier)
      return one === undefined ? undefined : { contents: await wrapperOf(specifier, one), resolveDir: top }
    })
  }
})

/** Where a module stands in the folder of its package. */
const fileOf = (specifier: string): string =>
  specifier === packageOf(specifier)
    ? "index"
    : specifier
        .slice(packageOf(specifier).length + 1)
        .replace(/\.js$/, "")
        .replaceAll("/", "-")

const manifestIn = (name: string): { readonly version: string; readonly license?: string } =>
  JSON.parse(readFileSync(join(top, "node_modules", name, "package.json"), "utf8"))

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Starts itself again within bounds, so that it is a program of its own too. */
const verifier = { out: "verifier", path: "http/client/verifier/src/cli.ts" } as const

/** A program or a thread, by the name that its bundle has in `dist`. */
const entries = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ["runtime/bin.ts", ...files().filter((path) => /\.(child|thread)\.ts$/.test(path))].map((path) => [
      basename(path, ".ts"),
      path
    ])
  )

/**
 * A module of a bundle finds its files where they would be beside its source, and threads in the bundle. What runs name by its hash stays
 * outside, so that the plugins, which import it, have the same copy.
 */
const inPlace: Plugin = {
  name: "in place",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^started:/ }, ({ path }) => ({ path, namespace: "started" }))
    onLoad({ filter: /.*/, namespace: "started" }, ({ path }) => ({
      contents: `import { start } from ${JSON.stringify(`./${path.slice("started:".length)}`)}\nawait start()`,
      resolveDir: top
    }))
    onResolve({ filter: /^(\.|#plugin)/ }, ({ path, resolveDir }) => {
      const to = path.startsWith("#plugin")
        ? path
            .replace(/^#plugin$/, "core/plugin/index.ts")
            .replace(/^#plugin\/(.*)$/, "core/plugin/shapes/$1.ts")
        : relative(top, join(resolveDir, path))
      return isHashed(to) ? { path: `../${to}`, external: true } : undefined
    })
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        /new URL\((?:"([\w.]+\.(?:child|thread))\.ts", )?import\.meta\.url\)|import\.meta\.url/g,
        (all, thread: string | undefined) =>
          all === "import.meta.url"
            ? `new URL(${JSON.stringify(`../${relative(top, path)}`)}, import.meta.url).href`
            : `new URL("./${thread ?? verifier.out}.js", import.meta.url)`
      ),
      loader: "ts"
    }))
  }
}

/** Writes the program and its threads. */
const bundleRooms = async (dist: string): Promise<void> => {
  await build({
    absWorkingDir: top,
    entryPoints: [
      ...Object.entries(entries()).map(([out, path]) => ({ in: path, out })),
      { in: `started:${verifier.path}`, out: verifier.out }
    ],
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "node24",
    platform: "node",
    legalComments: "none",
    packages: "external",
    outdir: dist,
    plugins: [inPlace],
    logLevel: "error"
  })
}

/** Writes the packages, each with the modules that are imported of it. */
const bundle = async (modules: string): Promise<ReadonlyArray<string>> => {
  const modulesIn = await imported()
  const specifiers = [...modulesIn.keys()]
  await build({
    absWorkingDir: top,
    entryPoints: specifiers.map((one) => ({ in: `wrapped:${one}`, out: `${packageOf(one)}/${fileOf(one)}` })),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "node24",
    platform: "node",
    mainFields: ["module", "main"],
    legalComments: "none",
    external: [...native, ...Object.keys(packageJson.optionalDependencies)],
    outdir: modules,
    chunkNames: "effect/chunks/[name]-[hash]",
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    plugins: [withoutUnused, wrapped(modulesIn)],
    logLevel: "error"
  })
  const names = [...new Set(specifiers.map(packageOf))]
  for (const name of names) {
    const own = specifiers.filter((one) => packageOf(one) === name)
    const { license, version } = manifestIn(name)
    const exports = Object.fromEntries(
      own.map((one) => [one === name ? "." : `.${one.slice(name.length)}`, `./${fileOf(one)}.js`])
    )
    await writeFile(
      join(modules, name, "package.json"),
      json({ name, version, license, type: "module", exports })
    )
  }
  return names
}

/** Whether a package says only to a compiler what others are. */
const isOfTypes = (name: string): boolean => /^(typescript|@types\/.+|.+-types)$/.test(name)

/** Texts of the licences of what is inside, each once, below the names of the packages that have it word by word. */
const licences = async (): Promise<string> => {
  const names = new Map<string, Array<string>>()
  for (const { licence, name, version } of packages()) {
    if (isLeft(name) || isOfTypes(name)) continue
    for await (const file of glob("{LICEN[CS]E,NOTICE}*", { cwd: join(top, "node_modules", name) })) {
      const text = await readFile(join(top, "node_modules", name, file), "utf8")
      names.set(text, [...(names.get(text) ?? []), `## ${name} ${version} (${licence})\n`])
    }
  }
  return [...names].map(([text, headings]) => `${headings.join("")}\n${text}`).join("\n")
}

/** The faces that pictures are drawn with. */
const copyFonts = async (modules: string): Promise<ReadonlyArray<string>> => {
  for (const name of drawn) {
    for (const pattern of ["package.json", "LICENSE", "files/*-latin-[46]00-normal.woff"])
      for await (const path of glob(pattern, { cwd: join(top, "node_modules", name) }))
        await cp(join(top, "node_modules", name, path), join(modules, name, path), { recursive: true })
  }
  return drawn
}

/** Makes the folder of the package. `npm pack` makes the package of it. */
export const makeService = async (folder: string): Promise<void> => {
  const modules = join(folder, "node_modules")
  await rm(folder, { recursive: true, force: true })
  await mkdir(modules, { recursive: true })
  const bundled = [...(await bundle(modules)), ...(await copyFonts(modules))]
  const { bin, dependencies, description, engines, imports, license, optionalDependencies, type, version } =
    packageJson
  await bundleRooms(join(folder, "dist"))
  for (const path of [...files().filter(isHashed), ...readAsFiles]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await cp(join(top, path), join(folder, path))
  }
  const command = join(folder, "runtime/plumbline.js")
  await writeFile(
    command,
    (await readFile(command, "utf8")).replace('import("./bin.ts")', 'import("../dist/bin.js")')
  )
  await writeFile(join(folder, relative(top, shipped)), writtenOf(await assetsBuilt()))
  // Part of every code hash; npm packs none by its own name, and would install by one that it knows.
  await cp(join(top, "package-lock.json"), join(folder, "locked.json"))
  const all: Readonly<Record<string, string>> = dependencies
  const needed = [...bundled, ...native].sort()
  await writeFile(
    join(folder, "package.json"),
    json({
      name: "@plumbline/service",
      version,
      description,
      license,
      type,
      imports,
      bin,
      engines,
      cpu: ["arm64", "x64"],
      publishConfig: { access: "public", provenance: true },
      dependencies: Object.fromEntries(needed.map((name) => [name, all[name]])),
      optionalDependencies,
      bundleDependencies: [...bundled].sort()
    })
  )
  await writeFile(join(folder, "LICENCES.md"), await licences())
  await writeFile(join(folder, "README.md"), await readFile(join(top, "runtime/release/SERVICE.md"), "utf8"))
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error("name a folder")
  await makeService(folder)
}
