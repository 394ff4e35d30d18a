/** What the options mean: files, keys, witnesses, block headers. Throws `CouldNotLook` where one cannot be used. */
import { readFile } from "node:fs/promises"
import { CouldNotLook, fromUtf8, Malformed } from "../../../../../core/proof/bytes.ts"
import { type Look, type Looks, leastOperators } from "../../../../../core/proof/chain/canonicalBlock.ts"
import type { ChainProof } from "../../../../../core/proof/chain/document.ts"
import { looksAt, parseChainLooks } from "../../../../../core/proof/chainLooks.ts"
import type { ChainSigners } from "../../../../../core/proof/checkFinalityEvidence.ts"
import { noteKeyText } from "../../../../../core/proof/checkpoint.ts"
import { parseCosigner } from "../../../../../core/proof/cosignature.ts"
import { fetchKeys, type Get } from "../../../../../core/proof/fetched.ts"
import { parseFinality } from "../../../../../core/proof/finality/document.ts"
import type { Final } from "../../../../../core/proof/finality/verifyFinality.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import { type NotaryPolicy, notaryPolicyOf } from "../../../../../core/proof/notaryPolicy.ts"
import type { BitcoinNetwork } from "../../../../../core/proof/ots/bitcoin.ts"
import { parsePolicy, quorumOf } from "../../../../../core/proof/policy.ts"
import type { Trust } from "../../../../../core/proof/trust.ts"
import type { Values } from "./options.ts"

/** The command's environment; tests replace it. */
export interface Surroundings {
  readonly print: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly get: Get
  /** Where lines go that say what is under way. Default: the terminal, if there is one. */
  readonly progress?: (line: string) => void
}

const explorersByDefault = "https://blockstream.info/api,https://mempool.space/api"

export const read = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path)
  } catch {
    throw new CouldNotLook(`cannot read file ${path}`)
  }
}
export const readText = async (path: string): Promise<string> => fromUtf8(await read(path))
export const readTextOf = async (path: string | undefined) =>
  path === undefined ? undefined : readText(path)

export const need = (value: string | undefined, name: string): string => {
  if (value === undefined) throw new CouldNotLook(`${name} is missing`)
  return value
}

export const base = (values: Values): string => need(values.url, "--url").replace(/\/+$/, "")

/** The notaries that count, and how many of them are needed; undefined where none was given. */
const notaryPolicy = ({ notaries, notary }: Values): NotaryPolicy | undefined => {
  try {
    return notaryPolicyOf(notary, notaries)
  } catch (error) {
    if (error instanceof Malformed) throw new CouldNotLook(`--notary and --notaries: ${error.message}`)
    throw error
  }
}

/** Whom the caller trusts: keys, witnesses and their quorum, from the options and from a policy file. */
export const trustOf = async (values: Values): Promise<Trust> => {
  const policy = values.policy === undefined ? undefined : parsePolicy(await read(values.policy))
  const cosigners = values.witness.map(parseCosigner)
  const pins = [...values.key, ...(policy?.logs ?? []).map(({ key }) => noteKeyText(key))]
  if (values.quorum !== undefined && !/^[1-9]\d{0,3}$/.test(values.quorum))
    throw new CouldNotLook(`--quorum: "${values.quorum}" must be a number of witnesses, 1 or more`)
  const threshold = Number(values.quorum ?? 1)
  if (values.quorum !== undefined && threshold > cosigners.length)
    throw new CouldNotLook(
      `--quorum: ${threshold} of ${cosigners.length} witnesses can never be met; give more with --witness`
    )
  const quorums = [
    ...(cosigners.length === 0 ? [] : [quorumOf(cosigners, threshold)]),
    ...(policy === undefined ? [] : [policy.quorum])
  ]
  const notaries = notaryPolicy(values)
  const witnesses = [...cosigners, ...(policy?.witnesses ?? []).map(({ key }) => key)]
  return {
    pins,
    now: Date.now(),
    network: network(values),
    ...(witnesses.length === 0 ? {} : { witnesses }),
    ...(notaries === undefined ? {} : { notaries }),
    ...(quorums.length === 0 ? {} : { quorum: { least: quorums.length, members: quorums } })
  }
}

export const explorers = ({ env }: Surroundings): ReadonlyArray<string> =>
  (env.ESPLORA_URL ?? explorersByDefault).split(",").map((one) => one.trim().replace(/\/+$/, ""))

/** The default explorers only serve Bitcoin. */
export const asksExplorers = (values: Values, { env }: Surroundings): boolean =>
  values.header.length === 0 && (network(values) === "bitcoin" || env.ESPLORA_URL !== undefined)

export const network = ({ network: name }: Values): BitcoinNetwork => {
  if (name === "bitcoin" || name === "bitcoin-regtest-fixture") return name
  throw new CouldNotLook(`--network: unknown network "${name}" (expected bitcoin or bitcoin-regtest-fixture)`)
}

/** What operators say of a block by a document of looks. */
const looksIn = (text: string, { block, chain }: ChainProof): ReadonlyArray<Look> => {
  const document = parseChainLooks(text)
  const statements = looksAt(document, { chain, ...block })
  if (statements === undefined)
    throw new CouldNotLook(
      `--looks: the document of ${document.day} does not name block ${block.number} of ${chain}`
    )
  return statements
}

/** What operators say of the block of a proof, from the options. */
export const looksOf = async (
  { block, looks: file, operators }: Values,
  proof: ChainProof
): Promise<Looks> => {
  if (operators !== undefined && !/^[1-9]\d{0,3}$/.test(operators))
    throw new CouldNotLook(`--operators: "${operators}" must be a number of operators, 1 or more`)
  const looks = block.map((option): Look => {
    const [, operator, hash] = /^([^=]+)=(?:0x)?([0-9a-f]{64})$/i.exec(option) ?? []
    if (operator === undefined || hash === undefined)
      throw new CouldNotLook(`--block: "${option}" must be <operator>=<hash of 64 hex digits>`)
    return { operator, hash: hash.toLowerCase() }
  })
  const statements = file === undefined ? [] : looksIn(await readText(file), proof)
  return {
    looks: [...looks, ...statements],
    least: operators === undefined ? leastOperators : Number(operators)
  }
}

/** Whom the caller trusts to sign blocks of chains, and his documents of who signed them. */
export const chainSignersOf = async ({ final, trust }: Values): Promise<Required<ChainSigners>> => ({
  trusted: trust.map(signerHash),
  documents: await Promise.all(final.map(async (file) => parseFinality(await readText(file)))),
  isDemanded: trust.length > 0
})

const signerHash = (option: string): string => {
  const [, hash] = /^(?:0x)?([0-9a-f]{64})$/i.exec(option) ?? []
  if (hash === undefined) throw new CouldNotLook(`--trust: "${option}" must be a hash of 64 hex digits`)
  return hash.toLowerCase()
}

/** Whether the block of a proof is final by its chain's own consensus, from the options; undefined where they have no document of it. */
export const finalOf = async (values: Values, proof: ChainProof): Promise<Final | undefined> => {
  const { documents, trusted } = await chainSignersOf(values)
  if (documents.length === 0) {
    if (trusted.length > 0) throw new CouldNotLook("--trust needs a document of finality: --final <file>")
    return undefined
  }
  const { verifyFinality } = await import("../../../../../core/proof/finality/verifyFinality.ts")
  return verifyFinality(proof, documents, trusted)
}

export const notBefore = (values: Values) => {
  const time = values["not-before"]
  if (time === undefined) return {}
  if (Number.isNaN(Date.parse(time)))
    throw new CouldNotLook(`--not-before: "${time}" is not an ISO 8601 time`)
  return { notBefore: time }
}

export const blockHeadersOf = async (values: Values): Promise<Map<number, string>> => {
  const headers = new Map<number, string>()
  for (const option of values.header) {
    const [, height, path] = /^(\d{1,9})=(.+)$/s.exec(option) ?? []
    if (height === undefined || path === undefined) {
      throw new CouldNotLook(`--header: "${option}" must be <height>=<file of 160 hex digits>`)
    }
    headers.set(Number(height), await readText(path))
  }
  return headers
}

/** The service's own authority, where the caller says that he reaches it under another. */
export const authorityOf = ({ authority }: Values) => (authority === undefined ? {} : { authority })

export const bundleOptions = async (values: Values) => {
  const savedCheckpoint = await readTextOf(values.kept)
  return {
    ...(await trustOf(values)),
    headers: await blockHeadersOf(values),
    ...notBefore(values),
    ...(savedCheckpoint === undefined ? {} : { kept: savedCheckpoint }),
    anchored: values.anchored
  }
}

/** The key document: from a file, or else from the service. */
export const keysFor = async (values: Values, io: Surroundings, service?: string): Promise<unknown> => {
  const saved = await readTextOf(values.keys)
  return saved === undefined ? fetchKeys(io.get, service ?? base(values)) : parseJson(saved)
}
