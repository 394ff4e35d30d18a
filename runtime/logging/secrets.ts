/** The values in the environment that nothing may print: those of the settings, and the API keys that plugins read. */

/** Files that hold secrets have names that end in `_FILE`. */
const named = /_(KEY|KEY_ID|SECRET|TOKEN|CLIENT|PASSWORD)$/

const parts: Readonly<Record<string, (value: string) => ReadonlyArray<string>>> = {
  DATABASE_URL: (value) => {
    const password = URL.parse(value)?.password ?? ""
    return [password, decodeURIComponent(password)]
  },
  // Providers put the key into the path.
  EVM_RPC_URL: (value) => [value],
  OTLP_HEADERS: (value) =>
    value.split(",").flatMap((pair) => {
      const decoded = decodeURIComponent(pair.replace(/^[^=]*=/, ""))
      return [decoded, decoded.replace(/^\w+ /, "")]
    }),
  BARENTSWATCH_CLIENT: (value) => value.split(":")
}

export const secretsIn = (environment: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(environment).flatMap(([name, value = ""]) => [
    ...(named.test(name) ? [value] : []),
    ...(parts[name]?.(value) ?? [])
  ])
