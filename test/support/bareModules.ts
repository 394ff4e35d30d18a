/**
 * Loads modules of ours into a bare `node:vm` context (no Buffer, no process, no fetch; of the platform only the text codecs)
 * and prints what an expression over them gives. Run by `test/proof/bare.test.ts` as a child, because module linking
 * in a context stands behind a flag of Node.
 *
 * usage: node --experimental-vm-modules test/support/bareModules.ts <module> <expression over `it`>
 */
import { readFileSync } from "node:fs"
import { createRequire, stripTypeScriptTypes } from "node:module"
import { dirname, resolve } from "node:path"
import { createContext, type Module, SourceTextModule } from "node:vm"

const [entry = "", expression = ""] = process.argv.slice(2)
const context = createContext(Object.assign(Object.create(null), { TextDecoder, TextEncoder }))
const loaded = new Map<string, SourceTextModule>()

const load = (path: string): SourceTextModule => {
  const known = loaded.get(path)
  if (known !== undefined) return known
  const source = readFileSync(path, "utf8")
  const module = new SourceTextModule(path.endsWith(".ts") ? stripTypeScriptTypes(source) : source, {
    context,
    identifier: path
  })
  loaded.set(path, module)
  return module
}

const link = (specifier: string, from: Module): Module => {
  if (specifier.startsWith("node:")) throw new Error(`${from.identifier} imports ${specifier}`)
  return load(
    specifier.startsWith(".")
      ? resolve(dirname(from.identifier), specifier)
      : createRequire(from.identifier).resolve(specifier)
  )
}

const main = new SourceTextModule(
  `import * as it from ${JSON.stringify(resolve(entry))}\nexport const answer = ${expression}`,
  { context, identifier: resolve("bare.js") }
)
await main.link(link)
await main.evaluate()
process.stdout.write(String(Reflect.get(main.namespace, "answer")))
