/** `plumbline verify monitor`: watches a log, of a running service or in a mirror's folder. */
import { randomInt } from "node:crypto"
import { CouldNotLook, fromUtf8, Malformed } from "../../../../core/proof/bytes.ts"
import { type Get, keysPath } from "../../../../core/proof/fetched.ts"
import type { Finding } from "../../../../core/proof/finding.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { answersIn } from "./answers.ts"
import { inFolder, readIfThere, writeWhole } from "./folder.ts"
import { copiedAt } from "./mirror.ts"
import { compareHeads, headsOf } from "./monitor/answers.ts"
import { type Look, type Looking, look } from "./monitor/look.ts"
import { patient, SourceUnreachable, served } from "./monitor/source.ts"
import { parseState, type State } from "./monitor/state.ts"

/** What to watch, and how. */
export interface MonitorOptions {
  /** The service, or another host of its log. */
  readonly url?: string | undefined
  /** A mirror's folder, instead of a service. */
  readonly dir?: string | undefined
  readonly state?: string | undefined
  /** The service's own authority, where it is reached under another. */
  readonly authority?: string | undefined
  /** A folder of saved answers, whose heads must be of this log. */
  readonly answers?: string | undefined
  /** Do not compare what the service serves beside its log. */
  readonly logOnly: boolean
  readonly json: boolean
  readonly trust: Trust
}

/** What the command needs from its process. */
export interface Monitoring {
  readonly print: (line: string) => void
  /** Shows what is being looked at; what it shows is overwritten. */
  readonly progress: (line: string) => void
  readonly get: Get
  readonly now: () => number
  /** Resolves after this many milliseconds; rejects once the signal is aborted. */
  readonly wait: (ms: number) => Promise<void>
  /** Ends the command. */
  readonly signal: AbortSignal
}

/** The result of one look in words and numbers. */
interface LookReport extends Partial<Pick<Look, "counts">> {
  readonly exit: 0 | 1 | 2
  readonly verdict: "nothing found" | "found" | "not proved" | "could not look"
  readonly findings: ReadonlyArray<Finding>
  readonly unproved: ReadonlyArray<string>
  readonly notChecked: ReadonlyArray<string>
}

/** The exit code and the words for a look. */
export const lookReportOf = ({ counts, ...of }: Look): LookReport => {
  const findings = of.findings.filter(({ unproved: isOpen }) => isOpen !== true)
  const unproved = [
    ...of.unproved,
    ...of.findings.flatMap(({ found: why, unproved: isOpen, what, where }) =>
      isOpen ? [`${what}: ${where}: ${why}`] : []
    )
  ]
  const [exit, verdict] =
    findings.length > 0
      ? ([1, "found"] as const)
      : unproved.length > 0
        ? ([2, "not proved"] as const)
        : ([0, "nothing found"] as const)
  return { exit, verdict, findings, unproved, notChecked: of.notChecked, counts }
}

// Text from a service or file must not control the terminal; a note has several lines.
const plain = (text: string): string => text.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, "\ufffd")

/** Prints the result of a look. */
export const printLookReport = (
  report: LookReport,
  { now, print }: Pick<Monitoring, "now" | "print">,
  json: boolean
): void => {
  const at = new Date(now()).toISOString()
  if (json) {
    print(JSON.stringify({ at, ...report }))
    return
  }
  for (const { expected, found: actual, what, where } of report.findings) {
    print(plain(`FOUND       ${what}: ${where}\n  expected  ${expected}\n  found     ${actual}`))
  }
  for (const why of report.unproved) print(plain(`not proved  ${why}`))
  for (const why of report.notChecked) print(plain(`not checked ${why}`))
  const { counts } = report
  const looked =
    counts === undefined
      ? ""
      : `: log of ${counts.size} entries; new ${counts.entries} entries, ${counts.batches} batches, ${counts.leaves} leaves, ` +
        `${counts.documents} other entries; compared ${counts.networks} histories and ${counts.proofs} proofs`
  print(`${at}  ${report.verdict}${looked}`)
}

const lookOnce = async (looking: Looking, { answers, state: stateFile }: MonitorOptions): Promise<Look> => {
  const text = stateFile === undefined ? undefined : await readIfThere(stateFile)
  const result = await look(looking, text === undefined ? undefined : parseState(fromUtf8(text)))
  // A log that contradicts itself is not what answers are compared with.
  return answers === undefined || result.state === undefined || result.findings.some(isOfLog)
    ? result
    : withAnswers(looking, answers, result, result.state)
}

const ofLog = new Set(["entries", "entry", "fork", "head", "tile"])
const isOfLog = ({ what }: Finding): boolean => ofLog.has(what)

/** The look with what saved answers say of the log. */
const withAnswers = async (looking: Looking, folder: string, result: Look, state: State): Promise<Look> => {
  const keys = await looking.source.read(keysPath)
  const saved = await answersIn(folder)
  const named = headsOf(saved.answers, keys === undefined ? undefined : parseJson(fromUtf8(keys)))
  const compared = await compareHeads(looking.source, named.heads, state)
  await looking.checked(compared.state, compared.findings.length === 0)
  return {
    ...result,
    findings: [...result.findings, ...compared.findings],
    unproved: [...result.unproved, ...saved.unproved, ...named.unproved],
    state: compared.state
  }
}

const lookingOf = (
  { authority, dir, logOnly, state, trust, url }: MonitorOptions,
  io: Monitoring
): Looking => {
  if ((url === undefined) === (dir === undefined)) throw new CouldNotLook("give either --url or --dir")
  const get = patient(async (...args) => {
    io.signal.throwIfAborted()
    return io.get(...args)
  }, io)
  const base = url?.replace(/\/+$/, "")
  return {
    trust,
    source: base === undefined ? inFolder(dir ?? "") : served(get, base),
    ...(base === undefined ? { copied: () => copiedAt(dir ?? "") } : {}),
    ...(base === undefined || logOnly
      ? {}
      : { service: { get, base, ...(authority === undefined ? {} : { authority }) } }),
    now: io.now,
    random: (n) => randomInt(n),
    say: io.progress,
    checked: async (now) => {
      if (state !== undefined) await writeWhole(state, `${JSON.stringify(now, null, 2)}\n`)
    }
  }
}

/** Looks once; returns the exit code. Throws `Malformed` if it cannot begin. */
export const monitor = async (options: MonitorOptions, io: Monitoring): Promise<number> => {
  const looking = lookingOf(options, io)
  let report: LookReport
  try {
    report = lookReportOf(await lookOnce(looking, options))
  } catch (error) {
    if (io.signal.aborted) return 0
    if (!(error instanceof SourceUnreachable) && !(error instanceof Malformed)) throw error
    report = { exit: 2, verdict: "could not look", findings: [], unproved: [error.message], notChecked: [] }
  }
  io.progress("")
  printLookReport(report, io, options.json)
  return report.exit
}
