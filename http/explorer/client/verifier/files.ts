/** Files that a reader has: bundles, saved answers, timestamps and key documents, several at once. What they lack comes from this service. */
import { type Bundle, type Bundle4, parseAnyBundle, partsOf } from "../../../../core/proof/bundle.ts"
import { fromUtf8, Malformed, Newer, toHex } from "../../../../core/proof/bytes.ts"
import { isRecord } from "../../../../core/proof/canonical.ts"
import { chainsFor } from "../../../../core/proof/chainsFor.ts"
import { allHold, type Check, notChecked } from "../../../../core/proof/check.ts"
import { verifier } from "../../../../core/proof/command.ts"
import { parseEvidence } from "../../../../core/proof/evidence.ts"
import { fetchKeys, requestOf } from "../../../../core/proof/fetched.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { parseKeyDocument } from "../../../../core/proof/keys.ts"
import { parseHeader } from "../../../../core/proof/ots/bitcoin.ts"
import { isAbout, parseDetached } from "../../../../core/proof/ots/codec.ts"
import { heightsOf, verifyTimestamp } from "../../../../core/proof/ots/verify.ts"
import { answersTo } from "../../../../core/proof/questions.ts"
import { parseSaved } from "../../../../core/proof/saved.ts"
import { checkTimestamp } from "../../../../core/proof/timestamp.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { type BundleOptions, verifyBundle } from "../../../../core/proof/verifyBundle.ts"
import { verifyResponse } from "../../../../core/proof/verifyResponse.ts"
import { Unanswered } from "../parts/failure.ts"
import type { SeenKeys, Trusted } from "../parts/store.ts"
import { type Outcome, verdictOf } from "./outcome.ts"
import { keyOptions, trustOptions, word } from "./shell.ts"
import { seenWords } from "./signers.ts"
import { stepsOf, summaryOf } from "./steps.ts"
import { here, oneLook } from "./transport.ts"
import { chainSigners, signersFor, trustNow } from "./trust.ts"

export interface InputFile {
  readonly name: string
  readonly bytes: Uint8Array
}

interface FileContext {
  readonly trust: Trust
  /** Who may sign blocks of chains. */
  readonly signers: ReadonlyArray<string>
  /** Keys that this browser has seen. */
  readonly keys: SeenKeys
  /** Where a saved answer came from. */
  readonly address: string
  /** Bitcoin headers by height, 160 hex digits each. */
  readonly headers: ReadonlyMap<number, string>
}

/** A file that cannot be checked: why, and what to do. */
export interface Trouble {
  readonly title: string
  readonly why: string
  readonly help: string
}

type Kind = "bundle" | "evidence" | "response" | "timestamp" | "keys" | "other"

const magic = "004f70656e54696d657374616d7073"

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return parseJson(fromUtf8(bytes))
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

const kindOf = ({ bytes, name }: InputFile): Kind => {
  if (name.endsWith(".ots") || toHex(bytes.slice(0, magic.length / 2)) === magic) return "timestamp"
  if (/^HTTP\/[\d.]+ \d{3}/.test(new TextDecoder("latin1").decode(bytes.slice(0, 20)))) return "response"
  const value = jsonOf(bytes)
  if (!isRecord(value)) return name.endsWith(".bundle.json") ? "bundle" : "other"
  if (typeof value.v === "string" && value.v.startsWith("service-bundle")) return "bundle"
  if (typeof value.v === "string" && value.v.startsWith("service-evidence")) return "evidence"
  return "checkpoint_origin" in value ? "keys" : "other"
}

/** Reads lines of `<height>=<160 hex digits>`; a text says why they cannot be read. */
const readHeaders = (text: string): ReadonlyMap<number, string> | string => {
  const headers = new Map<number, string>()
  for (const line of text.split(/\s+/).filter((one) => one !== "")) {
    const [, height, hex = ""] = /^(\d{1,9})=([0-9a-fA-F]{160})$/.exec(line) ?? []
    if (height === undefined)
      return `“${line.slice(0, 60)}” is not a header: write the height, = and the 160 hex digits of the header`
    try {
      parseHeader(hex)
    } catch (error) {
      if (error instanceof Malformed) return error.message
      throw error
    }
    headers.set(Number(height), hex)
  }
  return headers
}

/** Loaded when it is needed: what asks the service is not needed to check a file. */
const servedBeside = async (bundle: Bundle | Bundle4) => (await import("./value.ts")).servedBeside(bundle)

/** A bundle's checks with the evidence that this service has beside it, if its log is the bundle's. */
const withServed = async (bundle: Bundle | Bundle4, options: BundleOptions) => {
  const { checks, evidence } = await servedBeside(bundle).catch((error: unknown) => {
    // Without the network a file is checked all the same, and what it lacks is said. TypeError: nor could be loaded what asks.
    if (error instanceof Unanswered || error instanceof TypeError) return { evidence: undefined, checks: [] }
    throw error
  })
  const served = verifyBundle(bundle, { ...options, ...(evidence === undefined ? {} : { evidence }) })
  // What another log has beside a value of that name says nothing of this one.
  const isOwn =
    evidence === undefined || allHold(served.checks) || !allHold(verifyBundle(bundle, options).checks)
  return isOwn ? { ...served, checks: [...checks, ...served.checks] } : verifyBundle(bundle, options)
}

/** A bundle's checks: with its own evidence, or of version 2 with the evidence that was given for it, of several the one that is of its value; else with what this service has. */
const withEvidence = async (
  bundle: Bundle | Bundle4,
  all: ReadonlyArray<InputFile>,
  options: BundleOptions
) => {
  if (partsOf(bundle).members.run !== undefined) return verifyBundle(bundle, options)
  const outcomes = all
    .filter((one) => kindOf(one) === "evidence")
    .map((one) => verifyBundle(bundle, { ...options, evidence: parseEvidence(fromUtf8(one.bytes)) }))
  const isSure = all.filter((one) => kindOf(one) === "bundle").length === 1 && outcomes.length === 1
  const own = isSure ? outcomes[0] : outcomes.find(({ checks }) => allHold(checks))
  return own ?? (await withServed(bundle, options))
}

const bundleOutcome = async (
  { bytes, name }: InputFile,
  all: ReadonlyArray<InputFile>,
  { headers, keys, signers, trust }: FileContext
): Promise<Outcome> => {
  const bundle = parseAnyBundle(fromUtf8(bytes))
  const { checks, leaf } = await withEvidence(bundle, all, {
    ...trust,
    ...(await chainsFor(bundle, { trusted: signers })),
    headers
  })
  const subject =
    leaf === undefined || leaf.kind === "absent"
      ? name
      : `${leaf.symbol} ${leaf.metric} of ${leaf.day}: ${leaf.value_text ?? leaf.value} ${leaf.unit}`
  return {
    title: subject,
    verdict: verdictOf(checks),
    answers: answersTo(
      checks,
      leaf === undefined
        ? "It"
        : leaf.kind === "absent"
          ? "The absence"
          : `${leaf.value_text ?? leaf.value} ${leaf.unit}`,
      seenWords(keys, checks)
    ),
    summary: summaryOf(checks, leaf?.kind === "absent" ? "The absence" : "The value"),
    steps: stepsOf(bundle, checks, new Set(headers.keys())),
    command: `${verifier} bundle ${word(name)} --url ${here()} ${trustOptions(trust, signersFor(signers, checks))}`
  }
}

/** The public keys: from a file that was given too, else from this service. */
const keysFor = async (all: ReadonlyArray<InputFile>): Promise<{ keys: unknown; from: string }> => {
  const file = all.find((one) => kindOf(one) === "keys")
  return file === undefined
    ? { keys: await fetchKeys(oneLook(), here()), from: here() }
    : { keys: jsonOf(file.bytes), from: file.name }
}

const responseOutcome = async (
  { bytes, name }: InputFile,
  all: ReadonlyArray<InputFile>,
  { address, trust }: FileContext
): Promise<Outcome> => {
  const saved = parseSaved(bytes)
  const { from, keys } = await keysFor(all)
  const checks = verifyResponse(
    { ...saved, request: requestOf("GET", address) },
    { keys, pins: trust.pins ?? [], now: Date.now() }
  )
  return {
    title: name,
    verdict: verdictOf(checks),
    answers: answersTo(checks, "The answer"),
    summary: summaryOf(checks, "The answer"),
    steps: [
      {
        title: "Answer",
        says: `The body, its time, its address and its status are those that the key signed. The public keys come from ${from}.`,
        checks,
        hashes: [["address", address]]
      }
    ],
    command: `${verifier} response ${word(name)} --url ${word(address)} ${keyOptions(trust, "ANSWERS_KEY")}`
  }
}

const timestampOutcome = (
  { bytes, name }: InputFile,
  all: ReadonlyArray<InputFile>,
  { headers }: FileContext
): Outcome => {
  const detached = parseDetached(bytes)
  const covered = all.find((one) => one.name !== name && isAbout(detached, one.bytes))
  const digest = toHex(detached.timestamp.message)
  const file: Check =
    covered === undefined
      ? notChecked("file", `none of the given files has the hash ${digest}; give the original with it`)
      : { name: "file", ok: true, detail: `the proof covers ${covered.name}` }
  const result = verifyTimestamp(detached.timestamp, headers)
  const heights = heightsOf(detached.timestamp, "bitcoin").filter((height) => !headers.has(height))
  const need =
    heights.length === 0
      ? ""
      : `. Get the header of block ${heights.join(", ")} from a node or an explorer that you trust, and give it below`
  const timestamp = checkTimestamp(result, need)
  const checks = [file, timestamp]
  return {
    title: name,
    verdict: verdictOf(checks),
    answers: [],
    summary:
      result.status === "verified"
        ? `What it covers ${result.detail}, by a header that you gave.`
        : summaryOf(checks, "The time"),
    steps: [
      {
        title: "File",
        says: "The proof is about one file, by its hash.",
        checks: [file],
        hashes: [["hash that the proof covers", digest]]
      },
      {
        title: "Bitcoin",
        says: "The hash leads to the Merkle root of a Bitcoin block, whose header only you can vouch for here.",
        checks: [timestamp],
        hashes: []
      }
    ],
    command: `${verifier} timestamp ${word(name)}${covered === undefined ? "" : ` --file ${word(covered.name)}`}`
  }
}

const troubleOf = (file: InputFile, all: ReadonlyArray<InputFile>): Trouble | undefined => {
  const { bytes, name } = file
  if (bytes.length === 0)
    return { title: name, why: "The file is empty.", help: "Save it again, and look at its size." }
  const kind = kindOf(file)
  if (kind === "keys") {
    parseKeyDocument(jsonOf(bytes))
    return all.length > 1
      ? undefined
      : {
          title: name,
          why: "This is a document of public keys. It can be read, and proves nothing by itself.",
          help: "Give a saved answer with it: the answer is then checked by these keys."
        }
  }
  if (kind === "evidence") {
    parseEvidence(fromUtf8(bytes))
    return all.some((one) => kindOf(one) === "bundle")
      ? undefined
      : {
          title: name,
          why: "This is what the log has beside a bundle. It proves nothing by itself.",
          help: "Give the bundle with it."
        }
  }
  if (kind !== "other") return undefined
  const isProofOf = all.some((one) => kindOf(one) === "timestamp" && isAbout(parseDetached(one.bytes), bytes))
  if (isProofOf) return undefined
  const value = jsonOf(bytes)
  if (isRecord(value) && "leaf_hash" in value)
    return {
      title: name,
      why: "This is the answer of /v1/attest, which needs the service to be checked.",
      help: "Ask for it again with &format=bundle4: that file can be checked by itself."
    }
  if (value !== undefined)
    return {
      title: name,
      why: "This is JSON, but not a bundle; if it is an answer of the service, its signature is in the headers, which the file lacks.",
      help: "Save the answer with its headers: curl -i -o answer.txt '<address>'. Then give that file."
    }
  return {
    title: name,
    why: "This is not a bundle, a saved answer or a timestamp.",
    help: "A bundle is JSON that begins with “v”: “service-bundle-v4” or -v2; a saved answer begins with HTTP/, as curl -i writes it; a timestamp ends in .ots."
  }
}

export type FileResult = Outcome | Trouble

/** What is wrong with a file that should be of a kind, but cannot be read. */
const broken: Readonly<Record<Kind, string>> = {
  bundle:
    "Save it again: curl -o proof.bundle.json '<service>/v1/attest?symbol=…&metric=…&date=…&format=bundle4'. An editor that reformats it is no problem; a changed digit is.",
  evidence: "Save it again, with &format=evidence in the place of &format=bundle.",
  response: "Save it again with curl -i, and do not edit it.",
  timestamp: "Save it again as it is, without a conversion of its line ends.",
  keys: "Save /.well-known/service-signing-key.json again.",
  other: ""
}

/** Checks one of the given files; undefined for one that only belongs to another of them. */
const checkFile = async (
  file: InputFile,
  all: ReadonlyArray<InputFile>,
  beside: FileContext
): Promise<FileResult | undefined> => {
  const kind = kindOf(file)
  try {
    const trouble = troubleOf(file, all)
    if (trouble !== undefined) return trouble
    switch (kind) {
      case "bundle":
        return await bundleOutcome(file, all, beside)
      case "response":
        return beside.address === ""
          ? {
              title: file.name,
              why: "The signature covers the address that was asked, and a saved answer does not contain it.",
              help: "Enter the address of the answer below, and check again."
            }
          : await responseOutcome(file, all, beside)
      case "timestamp":
        return timestampOutcome(file, all, beside)
      default:
        return undefined
    }
  } catch (error) {
    if (error instanceof Newer)
      return {
        title: file.name,
        why: `It is not proved: ${error.message}.`,
        help: "Reload this page, or check the file with a newer release of the verifier."
      }
    if (error instanceof Malformed)
      return { title: file.name, why: `It cannot be read: ${error.message}.`, help: broken[kind] }
    throw error
  }
}

/** What a reader gives: files, and what is written beside them. */
export interface FilesRequest {
  readonly files: ReadonlyArray<InputFile>
  readonly address: string
  /** Lines of `<height>=<160 hex digits>`. */
  readonly headers: string
  readonly trusted: Trusted
  readonly keys: SeenKeys
}

/** Checks the files, without the headers if those cannot be read. */
export const checkFiles = async ({ address, files, headers, keys, trusted }: FilesRequest) => {
  const read = readHeaders(headers)
  const isRead = typeof read !== "string"
  const beside = {
    trust: trustNow(trusted),
    signers: chainSigners(trusted),
    keys,
    address,
    headers: isRead ? read : new Map<number, string>()
  }
  const results: Array<{ readonly name: string; readonly looked: FileResult }> = []
  for (const file of files) {
    const looked = await checkFile(file, files, beside)
    if (looked !== undefined) results.push({ name: file.name, looked })
  }
  return { results, wrongHeaders: isRead ? "" : read }
}
