/**
 * Witness policies (C2SP `tlog-policy`): a file of lines that names logs and witnesses by their verifier keys, and the
 * quorum of witnesses whose cosignatures a checkpoint needs.
 */
import { equalBytes, fromUtf8, Malformed } from "./bytes.ts"
import { type NoteKey, parseNoteKey } from "./checkpoint.ts"
import { type Cosigner, isCosigner, mlDsaType, parseCosigner } from "./cosignature.ts"

export interface PolicyLog {
  readonly key: NoteKey
  readonly url?: string
}

export interface PolicyWitness {
  /** Its name in this file. Octets as characters, because names are opaque. */
  readonly name: string
  readonly key: Cosigner
  readonly url?: string
}

/** What must have been witnessed: one witness, or at least `least` of `members`. */
export type Quorum =
  | { readonly witness: Cosigner }
  | { readonly least: number; readonly members: ReadonlyArray<Quorum> }

export interface Policy {
  readonly logs: ReadonlyArray<PolicyLog>
  readonly witnesses: ReadonlyArray<PolicyWitness>
  readonly quorum: Quorum
}

/** The quorum `none`: it needs no cosignature. */
export const noQuorum: Quorum = { least: 0, members: [] }

/** At least `least` of these witnesses. Throws `Malformed` if one of them is there twice, be it under another name. */
export const quorumOf = (witnesses: ReadonlyArray<Cosigner>, least: number): Quorum => {
  for (const [place, key] of witnesses.entries()) {
    refuseTwin(
      witnesses.slice(0, place).map((before) => ({ key: before })),
      key
    )
  }
  return { least, members: witnesses.map((witness) => ({ witness })) }
}

/** True if the witnesses for which `isSatisfied` is true are enough. */
export const isMet = (quorum: Quorum, isSatisfied: (witness: Cosigner) => boolean): boolean =>
  "witness" in quorum
    ? isSatisfied(quorum.witness)
    : quorum.members.filter((member) => isMet(member, isSatisfied)).length >= quorum.least

/** Octets as characters of the same numbers, so that the file's syntax does not depend on an encoding. */
const octetsOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
const bytesOf = (octets: string): Uint8Array =>
  Uint8Array.from(octets, (character) => character.charCodeAt(0))
/** A key's text, whose name is UTF-8. */
const textOf = (octets: string): string => fromUtf8(bytesOf(octets))

/** Parses a policy file. Throws `Malformed` naming the line. */
export const parsePolicy = (file: Uint8Array): Policy => {
  const text = octetsOf(file)
  if (/[^\t\n\x20-\x7e\x80-\xff]/.test(text))
    throw new Malformed("a policy must not contain control characters other than tab and newline")
  if (text !== "" && !text.endsWith("\n")) throw new Malformed("a policy's last line must end in a newline")
  const reader = new PolicyReader()
  for (const [place, line] of text.split("\n").entries()) {
    const items = line.split(/[ \t]+/).filter((item) => item !== "")
    if (items[0] === undefined || items[0].startsWith("#")) continue
    try {
      reader.read(items)
    } catch (error) {
      throw error instanceof Malformed ? new Malformed(`policy, line ${place + 1}: ${error.message}`) : error
    }
  }
  return reader.policy()
}

class PolicyReader {
  readonly logs: Array<PolicyLog> = []
  readonly witnesses: Array<PolicyWitness> = []
  /** Witnesses and groups share one name space. */
  readonly named = new Map<string, Quorum>()
  /** Names that are members of a group already. */
  readonly members = new Set<string>()
  quorum: Quorum | undefined

  policy(): Policy {
    if (this.quorum === undefined) throw new Malformed("a policy must have a line `quorum <name>`")
    return { logs: this.logs, witnesses: this.witnesses, quorum: this.quorum }
  }

  read([keyword, ...items]: ReadonlyArray<string>): void {
    if (keyword === "log") this.log(items)
    else if (keyword === "witness") this.witness(items)
    else if (keyword === "group") this.group(items)
    else if (keyword === "quorum") this.setQuorum(items)
    else throw new Malformed(`unknown keyword "${keyword}" (expected log, witness, group or quorum)`)
  }

  log([vkey, url, ...more]: ReadonlyArray<string>): void {
    if (vkey === undefined || more.length > 0) throw new Malformed("must be `log <vkey> [<url>]`")
    const key = parseNoteKey(textOf(vkey))
    if (!(key.type === 1 && key.publicKey.length === 32) && !(key.type === mlDsaType && isCosigner(key)))
      throw new Malformed("a log's verifier key must be of type 0x01 (Ed25519) or 0x06 (ML-DSA-44)")
    refuseTwin(this.logs, key)
    refuseSelf([key], this.witnesses)
    this.logs.push({ key, ...(url === undefined ? {} : { url }) })
  }

  witness([name, vkey, url, ...more]: ReadonlyArray<string>): void {
    if (name === undefined || vkey === undefined || more.length > 0)
      throw new Malformed("must be `witness <name> <vkey> [<url>]`")
    const key = parseCosigner(textOf(vkey))
    refuseTwin(this.witnesses, key)
    refuseSelf(
      this.logs.map((log) => log.key),
      [{ key }]
    )
    this.define(name, { witness: key })
    this.witnesses.push({ name, key, ...(url === undefined ? {} : { url }) })
  }

  group([name, least, ...names]: ReadonlyArray<string>): void {
    if (name === undefined || least === undefined || names.length === 0)
      throw new Malformed("must be `group <name> all|any|<number> <name>...`")
    const members = names.map((member) => {
      if (this.members.has(member))
        throw new Malformed(`"${member}" is a member of a group already; a name may be one only once`)
      this.members.add(member)
      return this.find(member)
    })
    const number = least === "all" ? names.length : least === "any" ? 1 : Number(least)
    if (!/^(?:all|any|[1-9]\d{0,8})$/.test(least) || number > names.length)
      throw new Malformed(`"${least}" must be all, any, or a number from 1 to ${names.length}`)
    this.define(name, { least: number, members })
  }

  setQuorum([name, ...more]: ReadonlyArray<string>): void {
    if (name === undefined || more.length > 0) throw new Malformed("must be `quorum <name>`")
    if (this.quorum !== undefined) throw new Malformed("a policy must have only one quorum line")
    this.quorum = name === "none" ? noQuorum : this.find(name)
  }

  private define(name: string, quorum: Quorum): void {
    if (name === "none" || this.named.has(name)) throw new Malformed(`the name "${name}" is taken`)
    this.named.set(name, quorum)
  }

  private find(name: string): Quorum {
    const quorum = this.named.get(name)
    if (quorum === undefined) throw new Malformed(`"${name}" is not defined on a line before`)
    return quorum
  }
}

/** Two verifier keys of one public key are the same log or witness under two names. */
const refuseTwin = (defined: ReadonlyArray<{ readonly key: NoteKey }>, { publicKey }: NoteKey): void => {
  if (defined.some(({ key }) => equalBytes(key.publicKey, publicKey)))
    throw new Malformed("this public key is on a line before, or under another name")
}

/** A log that witnesses itself is not witnessed: neither its key nor its name may be a witness's. */
const refuseSelf = (
  logs: ReadonlyArray<NoteKey>,
  witnesses: ReadonlyArray<{ readonly key: NoteKey }>
): void => {
  const self = logs.find((log) =>
    witnesses.some(
      ({ key: { name, publicKey } }) =>
        equalBytes(log.publicKey, publicKey) || log.name.toLowerCase() === name.toLowerCase()
    )
  )
  if (self !== undefined) throw new Malformed(`the log ${self.name} cannot be its own witness`, "key")
}
