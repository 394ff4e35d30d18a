#!/usr/bin/env node
/** `plumbline verify`: checks answers, values, bundles, the log and timestamps without trusting the server. */
import { readFile, writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { parseBundle } from "./bundle.ts"
import { CouldNotLook, fromUtf8, Malformed } from "./bytes.ts"
import { allHold, allProved, type Check, notChecked, notProved } from "./check.ts"
import { noteKeyText } from "./checkpoint.ts"
import { parseCosigner } from "./cosignature.ts"
import { parseJson } from "./json.ts"
import { patient, served } from "./monitor/source.ts"
import { inFolder } from "./node/folder.ts"
import { monitor } from "./node/monitor.ts"
import type { BitcoinNetwork } from "./ots/bitcoin.ts"
import { isAbout, parseDetached } from "./ots/codec.ts"
import { heightsOf, verifyTimestamp } from "./ots/verify.ts"
import { parsePolicy, quorumOf } from "./policy.ts"
import {
  fetchHeaders,
  fetchKeys,
  type Get,
  requestOf,
  verifyGrowth,
  verifyLedger,
  verifyValue
} from "./remote.ts"
import { parseSaved } from "./saved.ts"
import type { Trust } from "./trust.ts"
import { blocksOf, verifyBundle } from "./verifyBundle.ts"
import { eventsIn, verifyEvents } from "./verifyEvents.ts"
import { verifyPayee, verifyReceipt } from "./verifyReceipt.ts"
import { type SavedResponse, verifyResponse } from "./verifyResponse.ts"
import { signalPages, verifySignals } from "./verifySignals.ts"

const usage = `plumbline verify response <url> --key <kid>
plumbline verify response <saved> [--headers <file>] --url <original URL> [--method HEAD] [--keys <file>] --key <kid>
plumbline verify value --symbol <symbol> --metric <metric> --date <YYYYMMDD> [--source <source>] --url <service> --key <kid>
plumbline verify bundle <file> --key <kid>
plumbline verify log --from <kept checkpoint> --url <service> [--save <file>] [--key <kid>]
plumbline verify monitor --url <service> [--state <file>] [--once] [--log-only] --key <kid>
plumbline verify monitor --dir <folder of plumbline log mirror> [--state <file>] [--once] --key <kid>
plumbline verify archive <file.parquet> [--url <service>] [--dir <folder of plumbline log mirror>] --key <kid>
plumbline verify timestamp <file.ots> [--file <original>] [--header <height>=<file of 160 hex digits>]
plumbline verify signals <URL of /v1/signals, or a saved answer or purchase> [--head <hash>] --key <kid> --key <kid>
plumbline verify event <URL of /v1/events, or a saved event, page, stream or webhook> [--url <service>] [--keys <file>] --key <kid>
plumbline verify receipt <saved sale, or its receipt> [--payee <file>] [--kept <file>] [--url <service>] [--keys <file>] --key <kid>
plumbline verify payee <URL of /.well-known/payee.json, or saved> [--pay-to <address>] [--url <service>] [--keys <file>] --key <kid>
plumbline verify derivation <run> [--from <folder or purchase>]   only in a checkout: reruns the collectors

  --key <kid, hex or verifier key>  a key that the operator published elsewhere; repeatable. Answers and the log have
                                    keys of their own. Write --key=<kid> if the kid begins with a dash
  --keys <file>                     use this public-key document instead of the served one
  --witness <verifier key>          a witness whose cosignatures count (C2SP tlog-cosignature); repeatable
  --quorum <n>                      how many of the given witnesses must have cosigned (default 1)
  --policy <file>                   keys of logs, witnesses and their quorum from a file (C2SP tlog-policy)
  --header <height>=<file>          a Bitcoin block header you trust; repeatable
  --kept <file>                     a checkpoint you kept earlier, for \`bundle\` and \`value\`: without --key, its signers count
  --payee <file>                    \`receipt\`: the service's saved /.well-known/payee.json, which must name the address paid
  --pay-to <address>                \`payee\`: the address that you are about to pay
  --head <hash>                     \`signals\`: hash of a row you kept or read in the log; repeatable
  --body-only                       \`response\`: you ask only about body, time and path, not about query and status
  --not-before <ISO 8601 time>      treat anything earlier as stale
  --state <file>                    \`monitor\`: what was seen and checked so far, so that only what is new is checked. It
                                    remembers keys, and keeps heads that contradict each other as evidence
  --once                            \`monitor\`: look once and exit, instead of every hour
  --log-only                        \`monitor\`: only the files of the log, because a static copy has nothing else
  --anchored                        \`bundle\` and \`value\`: require a Bitcoin block, whose header comes from --header or from
                                    two block explorers that agree, never from the bundle
  --network <name>                  bitcoin (default) or bitcoin-regtest-fixture
  --json                            print one JSON object instead of lines

Exit code: 0 if everything requested holds, by a key that you gave or by a checkpoint that you kept; 1 if something does
not hold; 2 if something is not proved (nobody vouches for the key, a timestamp is pending) or could not be looked at.
ESPLORA_URL sets the block explorers (comma-separated); PLUMBLINE_API_KEY is the API key \`signals\` uses.`

const explorersByDefault = "https://blockstream.info/api,https://mempool.space/api"

const emptyList: Array<string> = []

const options = {
  headers: { type: "string" },
  url: { type: "string" },
  method: { type: "string", default: "GET" },
  key: { type: "string", multiple: true, default: emptyList },
  witness: { type: "string", multiple: true, default: emptyList },
  quorum: { type: "string" },
  policy: { type: "string" },
  state: { type: "string" },
  dir: { type: "string" },
  once: { type: "boolean", default: false },
  "log-only": { type: "boolean", default: false },
  "body-only": { type: "boolean", default: false },
  keys: { type: "string" },
  symbol: { type: "string" },
  metric: { type: "string" },
  date: { type: "string" },
  source: { type: "string" },
  from: { type: "string" },
  save: { type: "string" },
  file: { type: "string" },
  header: { type: "string", multiple: true, default: emptyList },
  kept: { type: "string" },
  payee: { type: "string" },
  "pay-to": { type: "string" },
  head: { type: "string", multiple: true, default: emptyList },
  "not-before": { type: "string" },
  anchored: { type: "boolean", default: false },
  network: { type: "string", default: "bitcoin" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const

/** The command's environment; tests replace it. */
export interface Surroundings {
  readonly print: (line: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly get: Get
}

/** A day's leaves are the longest answer. */
const byteLimit = 64 * 1024 * 1024

/** Bounded in time and size. Rejects redirects, because a signature covers the requested URL. */
export const get: Get = async (url, headers = {}) => {
  try {
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(30_000) })
    const parts: Array<Uint8Array> = []
    let length = 0
    for await (const part of answer.body ?? []) {
      length += part.length
      if (length > byteLimit) throw new CouldNotLook(`${url}: response exceeds ${byteLimit} bytes`)
      parts.push(part)
    }
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.concat(parts) }
  } catch (error) {
    if (error instanceof Malformed) throw error
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
    throw new CouldNotLook(`${url}: no response${cause}`)
  }
}

interface Result {
  readonly exit: 0 | 1 | 2
  readonly checks: ReadonlyArray<Check>
}

type Values = ReturnType<typeof parse>["values"]
const parse = (args: ReadonlyArray<string>) => parseArgs({ args: [...args], options, allowPositionals: true })

const read = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path)
  } catch {
    throw new CouldNotLook(`cannot read file ${path}`)
  }
}
const readText = async (path: string): Promise<string> => fromUtf8(await read(path))
const readTextOf = async (path: string | undefined) => (path === undefined ? undefined : readText(path))

const need = (value: string | undefined, name: string): string => {
  if (value === undefined) throw new CouldNotLook(`${name} is missing`)
  return value
}

const base = (values: Values): string => need(values.url, "--url").replace(/\/+$/, "")

/** Whom the caller trusts: keys, witnesses and their quorum, from the options and from a policy file. */
const trustOf = async (values: Values): Promise<Trust> => {
  const policy = values.policy === undefined ? undefined : parsePolicy(await read(values.policy))
  const given = values.witness.map(parseCosigner)
  const pins = [...values.key, ...(policy?.logs ?? []).map(({ key }) => noteKeyText(key))]
  if (values.quorum !== undefined && !/^[1-9]\d{0,3}$/.test(values.quorum))
    throw new CouldNotLook(`--quorum: "${values.quorum}" must be a number of witnesses, 1 or more`)
  const least = Number(values.quorum ?? 1)
  if (values.quorum !== undefined && least > given.length)
    throw new CouldNotLook(
      `--quorum: ${least} of ${given.length} witnesses can never be met; give more with --witness`
    )
  const quorums = [
    ...(given.length === 0 ? [] : [quorumOf(given, least)]),
    ...(policy === undefined ? [] : [policy.quorum])
  ]
  const witnesses = [...given, ...(policy?.witnesses ?? []).map(({ key }) => key)]
  return {
    pins,
    now: Date.now(),
    network: network(values),
    ...(witnesses.length === 0 ? {} : { witnesses }),
    ...(quorums.length === 0 ? {} : { quorum: { least: quorums.length, members: quorums } })
  }
}

const explorers = ({ env }: Surroundings): ReadonlyArray<string> =>
  (env.ESPLORA_URL ?? explorersByDefault).split(",").map((one) => one.trim().replace(/\/+$/, ""))

/** The default explorers only serve Bitcoin. */
const asksExplorers = (values: Values, { env }: Surroundings): boolean =>
  values.header.length === 0 && (network(values) === "bitcoin" || env.ESPLORA_URL !== undefined)

const network = ({ network: name }: Values): BitcoinNetwork => {
  if (name === "bitcoin" || name === "bitcoin-regtest-fixture") return name
  throw new CouldNotLook(`--network: unknown network "${name}" (expected bitcoin or bitcoin-regtest-fixture)`)
}

const notBefore = (values: Values) => {
  const time = values["not-before"]
  if (time === undefined) return {}
  if (Number.isNaN(Date.parse(time)))
    throw new CouldNotLook(`--not-before: "${time}" is not an ISO 8601 time`)
  return { notBefore: time }
}

const headersGiven = async (values: Values): Promise<Map<number, string>> => {
  const headers = new Map<number, string>()
  for (const given of values.header) {
    const [, height, path] = /^(\d{1,9})=(.+)$/s.exec(given) ?? []
    if (height === undefined || path === undefined) {
      throw new CouldNotLook(`--header: "${given}" must be <height>=<file of 160 hex digits>`)
    }
    headers.set(Number(height), await readText(path))
  }
  return headers
}

const bundleOptions = async (values: Values) => {
  const kept = await readTextOf(values.kept)
  return {
    ...(await trustOf(values)),
    headers: await headersGiven(values),
    ...notBefore(values),
    ...(kept === undefined ? {} : { kept }),
    anchored: values.anchored
  }
}

/** The key document: from a file, or else from the service. */
const keysFor = async (values: Values, io: Surroundings, service?: string): Promise<unknown> => {
  const saved = await readTextOf(values.keys)
  return saved === undefined ? fetchKeys(io.get, service ?? base(values)) : parseJson(saved)
}

const exitOf = (checks: ReadonlyArray<Check>): Result => ({
  exit: !allHold(checks) ? 1 : allProved(checks) ? 0 : 2,
  checks
})

const commands: Readonly<
  Record<string, (target: string | undefined, values: Values, io: Surroundings) => Promise<Result>>
> = {
  response: async (target, values, io) => {
    const from = need(target, "the URL or saved answer")
    const live = /^https?:\/\//i.test(from)
    const url = live ? from : need(values.url, "--url (the URL the answer came from)")
    const request = requestOf(values.method, url)
    let answer: Omit<SavedResponse, "request">
    if (live) answer = await io.get(from)
    else if (values.headers === undefined) answer = parseSaved(await read(from))
    else answer = { ...parseSaved(await read(values.headers)), body: await read(from) }
    const saved = await readTextOf(values.keys)
    const origin = url.slice(0, url.length - url.replace(/^https?:\/\/[^/?#]+/i, "").length)
    const keys = saved === undefined ? await fetchKeys(io.get, origin) : parseJson(saved)
    const checks = verifyResponse(
      { ...answer, request },
      { ...(await trustOf(values)), keys, bodyOnly: values["body-only"], ...notBefore(values) }
    )
    return exitOf(checks)
  },

  value: async (_target, values, io) => {
    const { symbol, metric, date, source } = values
    const asked = {
      symbol: need(symbol, "--symbol"),
      metric: need(metric, "--metric"),
      date: need(date, "--date"),
      ...(source === undefined ? {} : { source })
    }
    const { answer, blocks, verdict } = await verifyValue(io.get, base(values), asked, {
      ...(await bundleOptions(values)),
      ...(asksExplorers(values, io) ? { explorers: explorers(io) } : {})
    })
    const checks = [
      ...answer.map((one) => ({ ...one, name: `answer: ${one.name}` })),
      ...blocks,
      ...verdict.checks
    ]
    return exitOf(checks)
  },

  bundle: async (target, values, io) => {
    const bundle = parseBundle(await readText(need(target, "the bundle file")))
    const keys = await readTextOf(values.keys)
    const options = await bundleOptions(values)
    // Offline, unless a block is required and its header was not given.
    const heights = values.anchored && asksExplorers(values, io) ? blocksOf(bundle, network(values)) : []
    const asked = await fetchHeaders(io.get, explorers(io), heights, true)
    const { checks } = verifyBundle(keys === undefined ? bundle : { ...bundle, keys: parseJson(keys) }, {
      ...options,
      headers: new Map([...asked.headers, ...options.headers])
    })
    return exitOf([...asked.checks, ...checks])
  },

  log: async (_target, values, io) => {
    const kept = await readText(need(values.from, "--from"))
    const { checks, current } = await verifyGrowth(io.get, base(values), kept, {
      ...(await trustOf(values)),
      ...notBefore(values)
    })
    if (allHold(checks) && values.save !== undefined) await writeFile(values.save, current)
    return exitOf(checks)
  },

  archive: async (target, values, io) => {
    // Only here is a Parquet library needed.
    const { verifyArchive } = await import("./node/archive.ts")
    const source =
      values.dir !== undefined
        ? inFolder(values.dir)
        : values.url === undefined
          ? undefined
          : served(patient(io.get, { wait: (ms) => sleep(ms) }), base(values))
    const trust = { ...(await trustOf(values)), now: Date.now() }
    return exitOf(await verifyArchive(need(target, "the archive file"), source, trust))
  },

  signals: async (target, values, io) => {
    const from = need(target, "the URL or saved answer")
    const checks = /^https?:\/\//i.test(from)
      ? await verifyLedger(io.get, from, {
          apiKey: io.env["PLUMBLINE_API_KEY"],
          kept: values.head,
          ...(await trustOf(values)),
          ...notBefore(values)
        })
      : [
          ...verifySignals(signalPages(parseJson(await readText(from))), values.head),
          ...(values.head.length > 0
            ? []
            : [
                notProved(
                  "operator's ledger",
                  "rows carry no signature, so anybody can make a ledger; pass a hash that you kept (--head), or the URL"
                )
              ])
        ]
    return exitOf(checks)
  },

  event: async (target, values, io) => {
    const from = need(target, "the URL or saved event")
    const live = /^https?:\/\//i.test(from)
    const keys = await keysFor(values, io, live ? new URL(from).origin : undefined)
    const events = eventsIn(live ? (await io.get(from)).body : await read(from))
    return exitOf(verifyEvents(events, { ...(await trustOf(values)), keys }))
  },

  receipt: async (target, values, io) => {
    const file = await read(need(target, "the saved sale or receipt"))
    const payee = await readTextOf(values.payee)
    return exitOf(
      verifyReceipt(file, {
        ...(await trustOf(values)),
        keys: await keysFor(values, io),
        kept: await readTextOf(values.kept),
        ...(payee === undefined ? {} : { payee: parseJson(payee) })
      })
    )
  },

  payee: async (target, values, io) => {
    const from = need(target, "the URL or saved payee statement")
    const service = /^https?:\/\//i.test(from) ? new URL(from) : undefined
    const statement = service === undefined ? await read(from) : (await io.get(from)).body
    const payTo = values["pay-to"]
    return exitOf(
      verifyPayee(
        parseJson(fromUtf8(statement)),
        { ...(await trustOf(values)), keys: await keysFor(values, io, service?.origin) },
        {
          fresh: true,
          ...(service === undefined ? {} : { domain: service.host }),
          ...(payTo === undefined ? {} : { paid: { payTo } })
        }
      )
    )
  },

  timestamp: async (target, values, io) => {
    const detached = parseDetached(await read(need(target, "the .ots file")))
    const checks: Array<Check> = []
    if (values.file === undefined) {
      checks.push(notChecked("file", "no --file given, so the proof was not compared with a file"))
    } else if (isAbout(detached, await read(values.file))) {
      checks.push({ name: "file", ok: true, detail: `the proof covers ${values.file}` })
    } else {
      checks.push({ name: "file", ok: false, detail: `the proof does not cover ${values.file}` })
    }
    let headers: ReadonlyMap<number, string> = await headersGiven(values)
    if (values.header.length === 0) {
      const asked = await fetchHeaders(
        io.get,
        explorers(io),
        heightsOf(detached.timestamp, network(values)),
        true
      )
      headers = asked.headers
      checks.push(...asked.checks)
    }
    const outcome = verifyTimestamp(detached.timestamp, headers, network(values))
    checks.push({
      name: "timestamp",
      ok: outcome.status === "verified" ? true : outcome.status === "failed" ? false : "not proved",
      detail: outcome.detail
    })
    return exitOf(checks)
  }
}

const mark = (ok: Check["ok"]): string =>
  ok === true
    ? "ok         "
    : ok === false
      ? "FAILED     "
      : ok === "not proved"
        ? "not proved "
        : "not checked"
const verdicts = { 0: "holds", 1: "does not hold", 2: "not proved" } as const

// Text from a service or file must not control the terminal.
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd")

/** Runs `verify monitor` until it ends or is told to stop. */
const watch = async (values: Values, { get, print }: Surroundings): Promise<number> => {
  const stop = new AbortController()
  const ended = () => stop.abort()
  process.once("SIGINT", ended).once("SIGTERM", ended)
  const { stderr } = process
  const progress = (line: string) => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${plain(line).slice(0, 100)}`)
  }
  try {
    const asked = { ...values, logOnly: values["log-only"], trust: await trustOf(values) }
    const { signal } = stop
    const wait = (ms: number) => sleep(ms, undefined, { signal })
    return await monitor(asked, { print, progress, get, now: Date.now, wait, signal })
  } finally {
    process.off("SIGINT", ended).off("SIGTERM", ended)
  }
}

/** Runs `verify` with these arguments (a leading `verify` is optional) and returns the exit code. */
export const main = async (
  args: ReadonlyArray<string>,
  io: Surroundings = { print: (line) => console.log(line), env: process.env, get }
): Promise<number> => {
  const json = args.includes("--json")
  const stop = (exit: 1 | 2, message: string): number => {
    io.print(
      json
        ? JSON.stringify({ verdict: verdicts[exit], exit, checks: [], error: message })
        : `${mark(exit === 1 ? false : "not proved")}  ${plain(message)}`
    )
    return exit
  }
  try {
    const { positionals, values } = parse(args)
    const [name = "", target, ...more] = positionals[0] === "verify" ? positionals.slice(1) : positionals
    if (name === "monitor" && !values.help) return await watch(values, io)
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (values.help || (name === "" && !json)) {
      io.print(usage)
      return values.help ? 0 : 2
    }
    if (command === undefined || more.length > 0) {
      const what = command === undefined ? `unknown command "${name}"` : `${more[0]} is one argument too many`
      return stop(2, `${what}; see plumbline verify --help`)
    }
    const result = await command(target, values, io)
    const { checks, exit } = result
    if (json) io.print(JSON.stringify({ verdict: verdicts[exit], exit, checks }))
    else {
      for (const { detail, name: what, ok } of checks)
        io.print(`${mark(ok)}  ${plain(what)}: ${plain(detail)}`)
      io.print(verdicts[exit])
    }
    return exit
  } catch (error) {
    if (error instanceof Malformed) return stop(error instanceof CouldNotLook ? 2 : 1, error.message)
    // What `parseArgs` does not understand.
    if (error instanceof TypeError && "code" in error) return stop(2, error.message)
    throw error
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2))
