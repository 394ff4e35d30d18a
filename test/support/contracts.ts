/** The contracts of `contracts/`, compiled where they are used: no bytecode is kept in the repository. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Hex } from "viem"
import { cacheFolder } from "./cacheFolder.ts"
import { counterparties } from "./programs.ts"

const require = createRequire(counterparties)

/** The compiler: what it is, without loading it, which takes seconds. */
const solc = {
  version: (): string => require("solc/package.json").version,
  compile: (input: string): string => require("solc").compile(input)
}

export interface Contract {
  /** What is put at an address as it is. */
  readonly code: Hex
  /** What a deployment sends, without constructor arguments. */
  readonly creation: Hex
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly evm: {
              readonly bytecode: { readonly object: string }
              readonly deployedBytecode: { readonly object: string }
            }
          }
        >
      >
    >
  >
}

const file = new URL("contracts/Token.sol", import.meta.url)

const compile = (content: string): Readonly<Record<string, Contract>> => {
  const output: Output = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { "Token.sol": { content } },
        settings: {
          optimizer: { enabled: true, runs: 200 },
          outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } }
        }
      })
    )
  )
  const wrong = output.errors?.find(({ severity }) => severity === "error")
  if (wrong !== undefined) throw new Error(wrong.formattedMessage)
  return Object.fromEntries(
    Object.entries(output.contracts["Token.sol"] ?? {}).map(([name, { evm }]) => [
      name,
      { code: `0x${evm.deployedBytecode.object}`, creation: `0x${evm.bytecode.object}` }
    ])
  )
}

let contracts: Readonly<Record<string, Contract>> | undefined

/** Compiled once for a text of the source on this machine: the compiler takes seconds to load. */
const compiled = (): Readonly<Record<string, Contract>> => {
  const content = readFileSync(file, "utf8")
  const folder = join(cacheFolder, "plumbline-contracts")
  const cacheFile = join(
    folder,
    `${createHash("sha256").update(solc.version()).update(content).digest("hex")}.json`
  )
  if (existsSync(cacheFile)) return JSON.parse(readFileSync(cacheFile, "utf8"))
  const output = compile(content)
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${cacheFile}.${process.pid}`, JSON.stringify(output))
  renameSync(`${cacheFile}.${process.pid}`, cacheFile)
  return output
}

export const contract = (
  name: "Token" | "LyingToken" | "RenamedToken" | "Wallet" | "Delegate" | "Batch"
): Contract => {
  contracts ??= compiled()
  const entry = contracts[name]
  if (entry === undefined) throw new Error(`no contract ${name}`)
  return entry
}
