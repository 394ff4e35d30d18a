/** One day's value, checked over the network: its answer, its bundle, and the log that it is in. */
import { type Bundle, type Bundle4, partsOf } from "../../../../core/proof/bundle.ts"
import { utf8 } from "../../../../core/proof/bytes.ts"
import type { Check } from "../../../../core/proof/check.ts"
import { verifier } from "../../../../core/proof/command.ts"
import { leafHashHex } from "../../../../core/proof/leaf.ts"
import { answersTo } from "../../../../core/proof/questions.ts"
import { fetchEvidence, verifyValue } from "../../../../core/proof/remote.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { checkSameLog, compareHeads, type Growth, type Memory } from "./heads.ts"
import { type Outcome, verdictOf } from "./outcome.ts"
import { trustOptions, word } from "./shell.ts"
import { seenWords, signersOf } from "./signers.ts"
import { stepsOf, summaryOf } from "./steps.ts"
import { here, oneLook } from "./transport.ts"
import { chainSigners, signersFor, trustNow } from "./trust.ts"

export interface ValueRequest {
  readonly symbol: string
  readonly metric: string
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly source?: string
}

const commandOf = (
  { date, metric, source, symbol }: ValueRequest,
  trust: Trust,
  signers: ReadonlyArray<string>
): string =>
  [
    `${verifier} value --symbol ${word(symbol)} --metric ${word(metric)}`,
    `--date ${date.replaceAll("-", "")}`,
    ...(source === undefined ? [] : [`--source ${word(source)}`]),
    `--url ${here()}`,
    trustOptions(trust, signers)
  ].join(" ")

/** Throws `Malformed` with the reason if the service has no proof. */
export const proveValue = async ({
  request,
  memory
}: {
  readonly request: ValueRequest
  readonly memory: Memory
}): Promise<{
  readonly outcome: Outcome
  readonly growth: Growth
  readonly signers: ReadonlyArray<string>
  /** Hash of the leaf that was looked at, hex. */
  readonly leaf_hash: string
}> => {
  const get = oneLook()
  const trust = trustNow(memory.trusted)
  const signers = chainSigners(memory.trusted)
  const { answer, bundle, verdict } = await verifyValue(
    get,
    here(),
    { ...request, date: request.date.replaceAll("-", "") },
    // What the query asked for is compared with what the bundle is about.
    { ...trust, bodyOnly: true, chainSigners: { trusted: signers } }
  )
  const sameLog = await checkSameLog(partsOf(bundle).head, trust, get)
  const growth = await compareHeads(memory, get)
  const log: ReadonlyArray<Check> = [sameLog, growth.check]
  const checks = [...answer, ...verdict.checks, ...log]
  const subject = `${request.symbol} ${request.metric} of ${request.date}`
  const outcome: Outcome = {
    title: subject,
    verdict: verdictOf(checks),
    answers: answersTo(checks, "The value", seenWords(memory.keys, checks)),
    summary: summaryOf(checks, "The value"),
    steps: [
      {
        title: "Answer",
        says: "The service signed the file that carries the proof. The proof does not rest on this.",
        checks: answer,
        hashes: []
      },
      ...stepsOf(bundle, verdict.checks),
      {
        title: "Same log as before",
        says: "The log has only grown since this browser saw it, and it contains the head of this proof.",
        checks: log,
        hashes: []
      }
    ],
    command: commandOf(request, trust, signersFor(signers, checks))
  }
  return { outcome, growth, signers: signersOf(checks), leaf_hash: leafHashHex(utf8(partsOf(bundle).leaf)) }
}

/** What this service has beside a bundle of version 2. */
export const servedBeside = (bundle: Bundle | Bundle4) => fetchEvidence(oneLook(), here(), bundle)
