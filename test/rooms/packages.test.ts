/** Packages inside the rooms: each imports what its `package.json` names, and is imported by what it exports. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import root from "../../package.json" with { type: "json" }
import { isOwnSource } from "../support/isOwnSource.ts"
import { importsIn, isExported, isFile, needOf, packageOf, packages } from "../support/packages.ts"
import { readGraph, testsReached, top } from "../support/reach.ts"

/** What is wrong with the imports of a file, if anything is. */
const faultsOf = (path: string, source: string): ReadonlyArray<string> => {
  const own = packageOf(path)
  return importsIn(path, source).flatMap((target) => {
    const other = packageOf(target)
    if (target === "node" || (other === own && (own === undefined || target.startsWith(`${own.folder}/`))))
      return []
    if (other !== undefined && !isExported(other, target))
      return [`${path}: ${other.name} does not export ${target}`]
    return own !== undefined && needOf(own, target) === undefined
      ? [`${path}: ${own.folder}/package.json does not name ${target}`]
      : []
  })
}

const sources = async (): Promise<ReadonlyArray<readonly [string, string]>> => {
  const files: Array<readonly [string, string]> = []
  for await (const path of glob("{core,plugins,http,mcp,runtime}/**/*.ts", { cwd: top }))
    if (isOwnSource(path)) files.push([path, readFileSync(join(top, path), "utf8")])
  return files
}

describe("the packages", () => {
  it("import what they name, and are imported by what they export", async () => {
    assert.deepStrictEqual(
      (await sources()).flatMap(([path, source]) => faultsOf(path, source)),
      []
    )
  })

  it("name nothing that they do not import, in the versions of the service", async () => {
    const all = await sources()
    const versions: Readonly<Record<string, string>> = { ...root.dependencies, ...root.devDependencies }
    const faults = packages.flatMap((each) => {
      const used = new Set(
        all
          .filter(([path]) => path.startsWith(`${each.folder}/`))
          .flatMap(([path, source]) => importsIn(path, source).map((target) => needOf(each, target)))
      )
      const unused = [...Object.keys(each.needs), ...each.imports].filter((need) => !used.has(need))
      const others = Object.entries(each.needs).filter(
        ([name, version]) => version !== (versions[name] ?? version)
      )
      return [
        ...unused.map((need) => `${each.name} does not use ${need}`),
        ...others.map(([name]) => `${each.name} has another version of ${name}`)
      ]
    })
    // Its generator and its compiler are started as programs.
    const programs = [
      "@plumbline/client has another version of typescript",
      "@plumbline/client does not use typescript"
    ]
    assert.deepStrictEqual(
      faults.filter((fault) => !programs.includes(fault)),
      []
    )
  })

  it("export files that exist", () => {
    const missing = packages.flatMap(({ exports, folder }) =>
      Object.entries(exports).flatMap(([name, exported]) => {
        const file =
          exported === null ? name : typeof exported === "string" ? exported : exported["plumbline"]
        return file === undefined || file.includes("*") || isFile(join(folder, file))
          ? []
          : [join(folder, file)]
      })
    )
    assert.deepStrictEqual(missing, [])
  })

  it("are told apart by the check", () => {
    const breaks = (path: string, specifier: string) =>
      faultsOf(path, `import { x } from "${specifier}"`).length
    assert.strictEqual(breaks("runtime/notary/server.ts", "../service/layers.ts"), 1)
    assert.strictEqual(breaks("runtime/notary/server.ts", "../../core/log/Log.ts"), 1)
    assert.strictEqual(breaks("runtime/notary/server.ts", "stripe"), 1)
    assert.strictEqual(breaks("runtime/notary/server.ts", "../../core/proof/merkle.ts"), 0)
    assert.strictEqual(breaks("runtime/commands/notary.ts", "../notary/tls/session.ts"), 1)
    assert.strictEqual(breaks("runtime/commands/notary.ts", "../notary/server.ts"), 0)
    assert.strictEqual(breaks("plugins/sia/index.ts", "#plugin/fields"), 0)
    assert.strictEqual(breaks("plugins/sia/index.ts", "../../core/plugin/numbers.ts"), 1)
    assert.strictEqual(breaks("core/proof/merkle.ts", "../plugin/time.ts"), 1)
    assert.strictEqual(breaks("core/log/Log.ts", "effect"), 0)
  })

  it("of notaries and witnesses are tested without the service", () => {
    const graph = readGraph()
    const service = [...graph.files].filter((path) => path.startsWith("runtime/service/"))
    assert.isNotEmpty(service)
    const tests = testsReached(graph, service).filter((path) => /^test\/(notary|witness)\//.test(path))
    // Of the command line, which has every command.
    assert.deepStrictEqual(tests, [join("test", "witness", "command.test.ts")])
  })
})
