/** `plumbline verify monitor`: watches a log, of a running service or in a mirror's folder. */
import { randomInt } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { fromUtf8, Malformed } from "../bytes.ts"
import { parseCosigner } from "../cosignature.ts"
import type { Get } from "../remote.ts"
import type { Finding } from "./finding.ts"
import { inFolder, readIfThere, writeWhole } from "./folder.ts"
import type { Trust } from "./head.ts"
import { type Look, type Looking, look } from "./look.ts"
import { CannotLook, patient, served } from "./source.ts"
import { parseState, type State } from "./state.ts"

export const monitorUsage = `plumbline verify monitor --url <service> [--state <file>] [--once]
plumbline verify monitor --dir <folder of a mirror> [--state <file>] [--once]

Checks everything of a log that an outsider can see: entries, tiles, batches, leaves, absences, documents, the promise of a
batch a day, and a sample of the served history and proofs. It looks every hour; with --state it checks only what is new.

  --url <service>     the service, or a static copy of its log
  --dir <folder>      a copy made by \`plumbline log mirror\`
  --state <file>      what was seen and checked so far; heads that contradict each other are kept in it as evidence
  --key <key>         a log key that the operator published elsewhere (kid, hex or verifier key); repeatable
  --witness <vkey>    a witness that must have cosigned the newest head; repeatable
  --quorum <n>        how many of the witnesses must have; all of them by default
  --log-only          check only the files of the log, as a static copy has nothing else
  --once              look once and exit
  --json              print one JSON object for each look

Exit code: 0 if nothing was found, 1 if something was found, 2 if it could not look or nobody vouches for the log's key.`

const options = {
  url: { type: "string" },
  dir: { type: "string" },
  state: { type: "string" },
  key: { type: "string", multiple: true },
  witness: { type: "string", multiple: true },
  quorum: { type: "string" },
  "log-only": { type: "boolean", default: false },
  once: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const

/** What the command needs from its process. */
export interface Monitoring {
  readonly print: (line: string) => void
  /** Shows what is being looked at; what it shows is overwritten. */
  readonly progress: (line: string) => void
  readonly get: Get
  readonly now: () => number
  /** Ends the command. */
  readonly signal: AbortSignal
}

export const hour = 3_600_000

/** The result of one look in words and numbers. */
interface Told extends Partial<Pick<Look, "counts">> {
  readonly exit: 0 | 1 | 2
  readonly verdict: "nothing found" | "found" | "not proved" | "could not look"
  readonly findings: ReadonlyArray<Finding>
  readonly unproved: ReadonlyArray<string>
}

/** The exit code and the words for a look. */
export const toldOf = ({ counts, findings, unproved }: Look): Told => {
  const [exit, verdict] =
    findings.length > 0
      ? ([1, "found"] as const)
      : unproved.length > 0
        ? ([2, "not proved"] as const)
        : ([0, "nothing found"] as const)
  return { exit, verdict, findings, unproved, counts }
}

// Text from a service or file must not control the terminal; a note has several lines.
const plain = (text: string): string => text.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, "\ufffd")

/** Prints the result of a look. */
export const tell = (told: Told, { now, print }: Pick<Monitoring, "now" | "print">, json: boolean): void => {
  const at = new Date(now()).toISOString()
  if (json) {
    print(JSON.stringify({ at, ...told }))
    return
  }
  for (const { expected, found, what, where } of told.findings) {
    print(plain(`FOUND       ${what}: ${where}\n  expected  ${expected}\n  found     ${found}`))
  }
  for (const why of told.unproved) print(plain(`not proved  ${why}`))
  const { counts } = told
  const looked =
    counts === undefined
      ? ""
      : `: log of ${counts.size} entries; new ${counts.entries} entries, ${counts.batches} batches, ${counts.leaves} leaves, ` +
        `${counts.documents} other entries; compared ${counts.networks} histories and ${counts.proofs} proofs`
  print(`${at}  ${told.verdict}${looked}`)
}

const lookOnce = async (looking: Looking, stateFile: string | undefined, last: State | undefined) => {
  const text = stateFile === undefined ? undefined : await readIfThere(stateFile)
  const known = text === undefined ? last : parseState(fromUtf8(text))
  return look(looking, known)
}

const trustOf = (values: ReturnType<typeof parse>): Trust => {
  const witnesses = (values.witness ?? []).map(parseCosigner)
  const quorum = Number(values.quorum ?? witnesses.length)
  if (!Number.isSafeInteger(quorum) || quorum < 0 || quorum > witnesses.length)
    throw new Malformed(
      `--quorum: "${values.quorum}" must be a number from 0 to ${witnesses.length}, the number of witnesses`
    )
  return { pins: values.key ?? [], witnesses, quorum }
}

const parse = (args: ReadonlyArray<string>) => parseArgs({ args: [...args], options }).values

const lookingOf = (values: ReturnType<typeof parse>, io: Monitoring): Looking => {
  const { dir, state, url } = values
  if ((url === undefined) === (dir === undefined)) throw new Malformed("give either --url or --dir")
  const get = patient(io.get, { wait: (ms) => sleep(ms, undefined, { signal: io.signal }) })
  const base = url?.replace(/\/+$/, "")
  return {
    ...trustOf(values),
    source: base === undefined ? inFolder(dir ?? "") : served(get, base),
    ...(base === undefined || values["log-only"] ? {} : { service: { get, base } }),
    now: io.now,
    random: (n) => randomInt(n),
    say: io.progress,
    checked: async (now) => {
      if (state !== undefined) await writeWhole(state, `${JSON.stringify(now, null, 2)}\n`)
    }
  }
}

/** Runs the command with what follows `monitor`; returns the exit code of the last look. */
export const monitor = async (args: ReadonlyArray<string>, io: Monitoring): Promise<number> => {
  let values: ReturnType<typeof parse>
  let looking: Looking
  try {
    values = parse(args)
    if (values.help) {
      io.print(monitorUsage)
      return 0
    }
    looking = lookingOf(values, io)
  } catch (error) {
    if (!(error instanceof Malformed) && !(error instanceof TypeError && "code" in error)) throw error
    io.print(`${error.message}\n\n${monitorUsage}`)
    return 2
  }
  let last: State | undefined
  while (true) {
    let told: Told
    try {
      const seen = await lookOnce(looking, values.state, last)
      last = seen.state
      told = toldOf(seen)
    } catch (error) {
      if (io.signal.aborted) return 0
      if (!(error instanceof CannotLook) && !(error instanceof Malformed)) throw error
      told = { exit: 2, verdict: "could not look", findings: [], unproved: [error.message] }
    }
    io.progress("")
    tell(told, io, values.json)
    if (values.once) return told.exit
    try {
      await sleep(hour, undefined, { signal: io.signal })
    } catch {
      return told.exit
    }
  }
}
