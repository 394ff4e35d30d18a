/**
 * Makes what people installed of a release: the verifier and both clients, one compressed file each, because a shallow clone cannot
 * build earlier versions. Released files never change. `npm run release:tags` gives the tags:
 *
 *     git worktree add ../released v2.0.0 && ln -s "$PWD/node_modules" ../released/node_modules
 *     node test/proof/released/make.mjs ../released
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants } from "node:zlib"
import { build } from "esbuild"

const [checkout = "."] = process.argv.slice(2)
const here = fileURLToPath(new URL(".", import.meta.url))
const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"))

const write = (name, bytes) =>
  writeFileSync(
    join(here, `${name}.br`),
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  )

const bundle = async (name, ...entries) => {
  const entry = entries.map((one) => join(checkout, one)).find(existsSync)
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "es2023",
    mainFields: ["module", "main"],
    legalComments: "none",
    write: false
  })
  write(`${name}-${version}.mjs`, outputFiles[0].contents)
}

await bundle("verifier", "http/client/verifier/src/cli.ts", "core/proof/cli.ts")
await bundle("typescript", "http/client/typescript/src/index.ts")
const python = join(checkout, "http/client/python/src/plumbline_client")
const sources = readdirSync(python, { recursive: true }).filter((name) => name.endsWith(".py"))
write(
  `python-${version}.json`,
  JSON.stringify(Object.fromEntries(sources.map((name) => [name, readFileSync(join(python, name), "utf8")])))
)
