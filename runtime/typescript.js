/**
 * Node runs TypeScript by leaving the types out, but not below a `node_modules`, which is where an installed release is. There
 * this does the same for the release's own files, in each thread and process that begins with it (`plumbline.js`).
 */
import { readFileSync } from "node:fs"
import module from "node:module"

const top = new URL("../", import.meta.url).href

const isOurs = (url) => {
  const path = url.slice(top.length)
  return url.startsWith(top) && path.endsWith(".ts") && !path.includes("node_modules/")
}

/** Node says of this function, once, that it is young. That is no news for whoever runs the command. */
const withoutWarning = (work) => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  work()
  process.emitWarning = emitWarning
}

if (top.includes("/node_modules/")) {
  withoutWarning(() => module.stripTypeScriptTypes(""))
  module.registerHooks({
    load: (url, context, next) =>
      isOurs(url)
        ? {
            format: "module",
            shortCircuit: true,
            source: module.stripTypeScriptTypes(readFileSync(new URL(url), "utf8"))
          }
        : next(url, context)
  })
}
