/** The name of this program, as whoever reads a text can run it. */
import { basename, delimiter, dirname } from "node:path"

/**
 * How the program was called: by its name where that is on the path, else by its file, which works from every folder. Only
 * npm calls it from a checkout by `npx plumbline`; anywhere else npx would install a stranger's package of that name.
 */
export const nameOf = (
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>
): string => {
  if (file !== undefined && basename(file) === "plumbline-plugin") return "npx plumbline-plugin"
  if (file === undefined || env["npm_command"] !== undefined) return "npx plumbline"
  if (basename(file) === "plumbline") {
    return (env["PATH"] ?? "").split(delimiter).includes(dirname(file)) ? "plumbline" : word(file)
  }
  return ["bin.ts", "plumbline.js"].includes(basename(file)) ? `node ${word(file)}` : "npx plumbline"
}

const word = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`

/** This program, for texts that tell an operator what to run. */
export const program = nameOf(process.argv[1], process.env)

/** What begins a command about plugins: the program of a plugin's author has no others. */
export const pluginProgram = program === "npx plumbline-plugin" ? program : `${program} plugin`
