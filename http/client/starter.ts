/** The file that a package's command begins with: a Node that cannot run the rest says so in one line. */
import { chmod, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** Written for every Node that has modules: it must not be what an old one fails at. */
const text = (command: string, needed: number, exit: number): string => `#!/usr/bin/env node
if (Number.parseInt(process.versions.node, 10) < ${needed}) {
  console.error("${command}: this needs Node ${needed} or newer, and runs on " + process.version)
  process.exitCode = ${exit}
} else {
  import("./main.js").then(function (main) {
    if (main.start !== undefined) main.start()
  })
}
`

/**
 * Writes the command of a package, `dist/cli.js`, which starts `dist/main.js`. `exit` is the code on a Node that is too old: a
 * verifier's is that of what is not proved.
 */
export const writeStarter = async (folder: string, exit: number): Promise<void> => {
  const manifest: {
    readonly bin: Readonly<Record<string, string>>
    readonly engines: { readonly node: string }
  } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const [command = ""] = Object.keys(manifest.bin)
  const file = join(folder, "dist/cli.js")
  await writeFile(file, text(command, Number(manifest.engines.node.replace(">=", "")), exit))
  await chmod(file, 0o755)
}
