/** What `WITNESSES` says: the witnesses of the log, how many of them it should have, and whether heads are served without. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { needsNoWitness } from "../../core/log/heads.ts"
import { Malformed, utf8 } from "../../core/proof/bytes.ts"
import { type Policy, parsePolicy } from "../../core/proof/policy.ts"
import { SettingsError } from "./Settings.ts"

export const refuseWitnesses = (message: string) => new SettingsError({ message: `WITNESSES: ${message}` })

export interface WitnessPolicy extends Pick<Policy, "witnesses" | "quorum"> {
  /** What it was read from, with the word: another text is another policy. Octets as characters. */
  readonly text: string
  /** No head is served that lacks the quorum's cosignatures. */
  readonly isRequired: boolean
}

/**
 * The policy that one line is short for: `<vkey> <url>[, <vkey> <url>]...`, all of which must cosign, or `2 of` them. Undefined for
 * anything else.
 */
const policyOfLine = (line: string): string | undefined => {
  const [, least = "all", list = ""] = /^(?:([1-9]\d{0,3}) of )?(.*)$/.exec(line) ?? []
  const witnesses = list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
  if (witnesses.length === 0 || !witnesses.every((one) => /^\S+\+[0-9a-f]{8}\+\S+ \S+$/.test(one)))
    return undefined
  const names = witnesses.map((_, index) => `w${index + 1}`)
  return [
    ...witnesses.map((one, index) => `witness ${names[index]} ${one}`),
    `group named ${least} ${names.join(" ")}`,
    "quorum named"
  ].join("\n")
}

const read = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file),
    catch: (error) =>
      refuseWitnesses(
        `the policy file "${file}" cannot be read: ${error instanceof Error ? error.message : String(error)}`
      )
  })

/**
 * `WITNESSES` is a policy (C2SP tlog-policy), the name of a file that contains one, or witnesses on one line; the word
 * `required` may be before any of them. Fails with `SettingsError`.
 */
export const witnessPolicyOf = Effect.fnUntraced(function* (value: string) {
  const [, word, named = ""] = /^\s*(required(?=\s|$))?\s*(.*)$/s.exec(value) ?? []
  const isRequired = word !== undefined
  if (isRequired && named === "")
    return yield* refuseWitnesses("`required` must be followed by a policy, its file, or witnesses")
  const setting = policyOfLine(named.trim()) ?? named
  const bytes = setting.includes("\n")
    ? utf8(setting.endsWith("\n") ? setting : `${setting}\n`)
    : new Uint8Array(yield* read(setting))
  const policy = yield* Effect.try({
    try: () => parsePolicy(bytes),
    catch: (error) => refuseWitnesses(error instanceof Malformed ? error.message : String(error))
  })
  if (isRequired && needsNoWitness(policy.quorum))
    return yield* refuseWitnesses("what is `required` must name a quorum; `quorum none` needs no witness")
  const { quorum, witnesses } = policy
  const text = Buffer.from(bytes).toString("latin1")
  return {
    text: isRequired ? `required\n${text}` : text,
    witnesses,
    quorum,
    isRequired
  } satisfies WitnessPolicy
})
