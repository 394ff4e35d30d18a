/**
 * Processes of a test start with what Node has compiled before, wherever their environment is made from nothing: the test
 * runner sets the folder (`test/vitest.config.ts`), as the command line does for itself.
 */
const name = "NODE_COMPILE_CACHE"

export const compiled: Readonly<Record<string, string>> = { [name]: process.env[name] ?? "" }
