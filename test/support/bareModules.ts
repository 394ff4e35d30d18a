/**
 * Bundles modules of ours for a browser, loads each into a bare `node:vm` context of its own (no Buffer, no process, no
 * fetch; of the platform only the text codecs) and prints a line with what an expression over it gives. Run by
 * `test/proof/bare.test.ts` as a child, because module linking in a context stands behind a flag of Node.
 *
 * usage: node --experimental-vm-modules test/support/bareModules.ts <expression over `it`> <module> ...
 */
import { resolve } from "node:path"
import { createContext, SourceTextModule } from "node:vm"
import { buildSync } from "esbuild"

const [expression = "", ...modules] = process.argv.slice(2)
for (const entry of modules) {
  // A browser has no modules of Node: bundling fails if one is imported.
  const [bundled] = buildSync({
    stdin: {
      contents: `import * as it from ${JSON.stringify(resolve(entry))}\nexport const answer = ${expression}`,
      resolveDir: resolve(".")
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false
  }).outputFiles
  const main = new SourceTextModule(bundled?.text ?? "", {
    context: createContext(Object.assign(Object.create(null), { TextDecoder, TextEncoder }))
  })
  await main.link((specifier) => {
    throw new Error(`the bundle of ${entry} imports ${specifier}`)
  })
  await main.evaluate()
  process.stdout.write(`${String(Reflect.get(main.namespace, "answer"))}\n`)
}
