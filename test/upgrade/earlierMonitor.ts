/**
 * The monitor as people installed it before the log had runs, schedules and comparisons (commit 056fcc3e), in one compressed file,
 * because a shallow clone cannot build earlier versions:
 *
 *     git worktree add ../earlier 056fcc3e && ln -s "$PWD/node_modules" ../earlier/node_modules
 *     npx esbuild ../earlier/core/proof/monitor/look.ts --bundle --minify --format=esm --platform=node \
 *       --main-fields=module,main --outfile=monitor.mjs
 *     node -e "fs.writeFileSync('monitor.mjs.br', zlib.brotliCompressSync(fs.readFileSync('monitor.mjs')))"
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { brotliDecompressSync } from "node:zlib"
import type { look } from "../../http/client/verifier/src/monitor/look.ts"

const compressed = new URL("monitor-056fcc3e.mjs.br", import.meta.url)

/** The `look` of that time, which takes and gives what today's does. */
export const earlierLook = async (): Promise<typeof look> => {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-earlier-"))
  const file = join(folder, "monitor.mjs")
  try {
    await writeFile(file, brotliDecompressSync(await readFile(compressed)))
    const module: { readonly look: typeof look } = await import(pathToFileURL(file).href)
    return module.look
  } finally {
    await rm(folder, { recursive: true })
  }
}
