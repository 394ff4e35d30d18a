/** Checks the table of rooms (`runtime/README.md`, "The rooms"): who may import whom. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** What `core/readings` may import, and every room above it as well. */
const base = [
  "core/plugin",
  "core/wire",
  "core/catalog",
  "core/proof",
  "core/process",
  "core/sql",
  "core/clock",
  "core/rights"
]
/** What every product is, without what makes it: for clients, price lists and both interfaces. */
const definitions = "core/products/index.ts"
const coreRooms = [
  ...base,
  "core/readings",
  "core/log",
  "core/credits",
  "core/events",
  "core/webhooks",
  "core/alerts",
  "core/publications",
  definitions,
  "core/products"
]

/** The rooms that a room may import besides itself. `runtime` may import everything. */
const allowed: Record<string, ReadonlyArray<string>> = {
  "core/proof": [],
  "core/migrations": [],
  "core/plugin": ["core/proof"],
  "core/wire": ["core/plugin"],
  "core/catalog": ["core/plugin"],
  "core/process": ["core/plugin", "core/wire"],
  "core/sql": [],
  "core/clock": ["core/process", "core/sql", "core/plugin", "core/wire"],
  "core/rights": ["core/plugin", "core/clock", "core/process", "core/wire", "core/sql"],
  "core/readings": base,
  "core/log": [...base, "core/readings"],
  [definitions]: ["core/plugin", "core/wire"],
  "core/credits": [...base, "core/readings", definitions],
  "core/events": [...base, "core/readings", "core/log"],
  "core/webhooks": [...base, "core/readings", "core/credits", "core/events"],
  "core/alerts": [...base, "core/readings", "core/log", "core/credits", "core/events", "core/webhooks"],
  "core/publications": [...base, "core/readings", "core/log", "core/credits"],
  "core/products": coreRooms,
  plugins: ["core/plugin", "core/catalog"],
  // The definition of the API is for clients: types count as well.
  "http/api": ["core/plugin", "core/wire", definitions],
  // What is published for others: no other code of the service.
  "http/client": ["core/proof"],
  http: [...coreRooms, "http/api"],
  mcp: coreRooms
}

/** Where a specifier leads from a file, from the top; undefined for a package. `#plugin` is of package.json's imports. */
const targetOf = (path: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return join(dirname(path), specifier)
  return specifier.startsWith("#") ? specifier.replace(/^#plugin(?=\/|$)/, "core/plugin") : undefined
}

const isDefinition = (path: string): boolean =>
  /^core\/products\/((index|definition|refusedKnownAt)|\w+\/definition)\.ts$/.test(path)

const roomOf = (path: string): string =>
  isDefinition(path)
    ? definitions
    : /^http\/client\/\w+\/(src|generated)\//.test(path)
      ? "http/client"
      : path.startsWith("core/") || path.startsWith("http/api/")
        ? path.split("/").slice(0, 2).join("/")
        : (path.split("/")[0] ?? "")

/** Imports of `path` (relative to the top) that leave the allowed rooms. */
const violations = (path: string, source: string): ReadonlyArray<string> => {
  const rooms = allowed[roomOf(path)]
  if (rooms === undefined) return []
  const imports = [...source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? ""
  )
  const outside = imports
    .map((specifier) => targetOf(path, specifier))
    .filter((target) => target !== undefined)
    // The software's name and version.
    .filter((target) => target !== "package.json")
    .filter((target) => roomOf(target) !== roomOf(path) && !rooms.includes(roomOf(target)))
  const neighbours = imports.filter(
    (specifier) =>
      path.startsWith("plugins/") &&
      specifier.startsWith(".") &&
      join(dirname(path), specifier).startsWith("plugins/") &&
      join(dirname(path), specifier).split("/")[1] !== path.split("/")[1]
  )
  const browser =
    (/^(core\/(proof|wire)|http\/api)\//.test(path) ||
      isDefinition(path) ||
      roomOf(path) === "http/client") &&
    !/^http\/client\/verifier\/src\/(?!index\.ts$)/.test(path)
      ? imports.filter((specifier) => /^(node:|effect\/sql|@effect\/)/.test(specifier))
      : []
  return [...outside, ...neighbours, ...browser].map((target) => `${path} imports ${target}`)
}

/** The files of ours that a file imports. */
const importsOf = (path: string, source: string): ReadonlyArray<string> =>
  [...source.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(
    ([, specifier = ""]) => join(dirname(path), specifier)
  )

/** The folder of a file within its room; the file itself on its doorstep. */
const innerRoom = (path: string): string => path.split("/")[1] ?? ""

/** The ways that lead back to where they began. */
const circlesIn = (edges: ReadonlyMap<string, Iterable<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const circles: Array<string> = []
  const visit = (node: string, way: ReadonlyArray<string>): void => {
    if (way.includes(node)) circles.push([...way.slice(way.indexOf(node)), node].join(" > "))
    if (way.includes(node) || done.has(node)) return
    for (const target of edges.get(node) ?? []) visit(target, [...way, node])
    done.add(node)
  }
  for (const node of edges.keys()) visit(node, [])
  return circles
}

describe("rooms", () => {
  it("import only what the table allows", async () => {
    const messages: Array<string> = []
    for await (const path of glob("{core,plugins,http,mcp}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path)) continue
      messages.push(...violations(path, readFileSync(join(top, path), "utf8")))
    }
    assert.deepStrictEqual(messages, [])
  })

  it("of the log do not import its read model, which is made of them", async () => {
    const importers: Array<string> = []
    for await (const path of glob("core/log/**/*.ts", { cwd: top })) {
      if (path.startsWith("core/log/record/")) continue
      const targets = importsOf(path, readFileSync(join(top, path), "utf8"))
      if (targets.some((target) => target.startsWith("core/log/record/"))) importers.push(path)
    }
    assert.deepStrictEqual(importers, [])
  })

  it("of ingest are steps: none imports one that comes after it", async () => {
    const steps = ["accept", "runs", "compare", "write"]
    const stepOf = (path: string) => steps.indexOf(path.split("/")[3] ?? "")
    const backwards: Array<string> = []
    for await (const path of glob("core/readings/ingest/*/*.ts", { cwd: top })) {
      const targets = importsOf(path, readFileSync(join(top, path), "utf8")).filter((target) =>
        target.startsWith("core/readings/ingest/")
      )
      for (const target of targets) {
        const isLater = stepOf(path) >= 0 && stepOf(target) > stepOf(path)
        if (isLater || target.endsWith("ingest/store.ts")) backwards.push(`${path} imports ${target}`)
      }
    }
    assert.deepStrictEqual(backwards, [])
  })

  it("have no two files that import each other, not even their types", async () => {
    const imports = new Map<string, ReadonlyArray<string>>()
    for await (const path of glob("{core,plugins,runtime,http,mcp}/**/*.ts", { cwd: top })) {
      if (isOwnSource(path)) imports.set(path, importsOf(path, readFileSync(join(top, path), "utf8")))
    }
    assert.deepStrictEqual(circlesIn(imports), [])
  })

  it.each(["runtime", "http"])(
    "of %s import one way: none reaches another that reaches it",
    async (folder) => {
      const reached = new Map<string, Set<string>>()
      for await (const path of glob(`${folder}/**/*.ts`, { cwd: top })) {
        if (!isOwnSource(path)) continue
        const from = innerRoom(path)
        const rooms = reached.get(from) ?? new Set()
        reached.set(from, rooms)
        for (const target of importsOf(path, readFileSync(join(top, path), "utf8"))) {
          if (target.startsWith(`${folder}/`) && innerRoom(target) !== from) rooms.add(innerRoom(target))
        }
      }
      assert.deepStrictEqual(circlesIn(reached), [])
    }
  )

  it("are told apart by the check", () => {
    const breaks = (path: string, specifier: string) =>
      violations(path, `import { x } from "${specifier}"`).length
    assert.strictEqual(breaks("plugins/a/index.ts", "../../core/readings/ingest/Ingest.ts"), 1)
    assert.strictEqual(breaks("plugins/a/index.ts", "../b/index.ts"), 1)
    assert.strictEqual(breaks("core/readings/ingest/Ingest.ts", "../../log/Log.ts"), 1)
    assert.strictEqual(breaks("core/proof/merkle.ts", "node:crypto"), 1)
    assert.strictEqual(breaks("core/proof/merkle.ts", "#plugin"), 1)
    assert.strictEqual(breaks("plugins/a/index.ts", "#data/Ingest"), 1)
    assert.strictEqual(breaks("plugins/a/index.ts", "#plugin"), 0)
    assert.strictEqual(breaks("plugins/a/index.ts", "#plugin/fields"), 0)
    assert.strictEqual(breaks("http/api/Api.ts", "../../runtime/settings/Settings.ts"), 1)
    assert.strictEqual(breaks("http/api/Api.ts", "../../core/credits/pricing.ts"), 1)
    assert.strictEqual(breaks("http/api/Api.ts", "../toProblem.ts"), 1)
    assert.strictEqual(breaks("http/api/Api.ts", "../../core/wire/data/valueRow.ts"), 0)
    assert.strictEqual(breaks("core/wire/data/supply.ts", "../../readings/read/supply.ts"), 1)
    assert.strictEqual(breaks("core/wire/log/bundle.ts", "node:crypto"), 1)
    assert.strictEqual(breaks("core/wire/log/bundle.ts", "effect/sql/SqlError"), 1)
    assert.strictEqual(breaks("http/client/typescript/src/index.ts", "../../../description/document.ts"), 1)
    assert.strictEqual(
      breaks("http/client/typescript/src/index.ts", "../../../../core/wire/data/supply.ts"),
      1
    )
    assert.strictEqual(breaks("http/client/typescript/src/index.ts", "node:crypto"), 1)
    assert.strictEqual(breaks("http/client/typescript/src/a.ts", "../../../../core/proof/statement.ts"), 0)
    assert.strictEqual(breaks("http/api/gated.ts", "../../core/products/index.ts"), 0)
    assert.strictEqual(breaks("http/api/gated.ts", "../../core/products/builds.ts"), 1)
    assert.strictEqual(breaks("core/credits/pricing.ts", "../products/dilution_risk_map/build.ts"), 1)
    assert.strictEqual(breaks("core/products/digest/definition.ts", "./build.ts"), 1)
    assert.strictEqual(breaks("mcp/server.ts", "../http/api/Api.ts"), 1)
    assert.strictEqual(breaks("core/log/Log.ts", "../readings/Ingest.ts"), 0)
    assert.strictEqual(breaks("core/credits/Ledger.ts", "../log/Log.ts"), 1)
  })
})
