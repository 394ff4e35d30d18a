/** What can be asked for on the command line. */
import { type ParseArgsConfig, parseArgs } from "node:util"
import { CouldNotLook } from "../../../../../core/proof/bytes.ts"
import type { EvidenceOption } from "../../../../../core/proof/kinds.ts"
import type { Bounds } from "./bounded.ts"

/** What `--help` prints. */
export const usage = `plumbline verify response <url> [--save <file>] --key <kid>
plumbline verify response <saved> [--headers <file>] [--url <original URL>]
    [--method HEAD] [--keys <file>] --key <kid>
plumbline verify value --symbol <symbol> --metric <metric> --date <YYYYMMDD>
    [--source <source>] --url <service> --key <kid>
plumbline verify value --symbol <symbol> --metric <metric> --date <YYYYMMDD>
    [--source <source>] --dir <folder of plumbline log mirror> --key <kid>
plumbline verify bundle <file> [--url <service>] [--evidence <file>]
    [--dir <folder of plumbline log mirror>] --key <kid>
plumbline verify log --from <kept checkpoint> --url <service> [--save <file>]
    [--key <kid>]
plumbline verify monitor --url <service> [--state <file>] [--answers <folder>]
    [--once] [--log-only] --key <kid>
plumbline verify monitor --dir <folder of plumbline log mirror> [--state <file>]
    [--once] --key <kid>
plumbline verify notary <URL of the notary> [--state <file>]
    [--statements <evidence>] --key <verifier key of the notary>
plumbline verify archive <file.parquet> [--url <service>]
    [--dir <folder of plumbline log mirror>] --key <kid>
plumbline verify chain <chain proof> [--block <operator>=<hash>]
plumbline verify timestamp <file.ots> [--file <original>]
    [--header <height>=<file of 160 hex digits>]
plumbline verify signals <URL of /v1/signals, or a saved answer or purchase>
    [--head <hash>] --key <kid> --key <kid>
plumbline verify event
    <URL of /v1/events, or a saved event, page, stream or webhook>
    [--url <service>] [--keys <file>] --key <kid>
plumbline verify receipt <saved sale, or its receipt> [--payee <file>]
    [--kept <file>] [--url <service>] [--keys <file>] --key <kid>
plumbline verify sale <saved sale> [--url <service>]
    [--dir <folder of plumbline log mirror>] [--proof <file>] --key <kid>
    --key <kid>
plumbline verify payee <URL of /.well-known/payee.json, or saved>
    [--pay-to <address>] [--url <service>] [--keys <file>] --key <kid>
plumbline verify derivation <run> [--from <folder or purchase>]
    [--url <service>] --key <kid>
    (only in a checkout: reruns the collectors)

  --key <kid, hex or verifier key>  a key that the operator published elsewhere;
                                    repeatable. Answers and the log have keys of
                                    their own. Write --key=<kid> if the kid
                                    begins with a dash
  --pins <file>                     what is remembered of operators: their keys,
                                    the log of each, and rotations; \`none\`
                                    remembers nothing (default:
                                    ~/.config/plumbline/pins.json). Without
                                    --key, the keys in it count that you gave
                                    before; a key that it only saw is no proof
  --keys <file>                     use this public-key document instead of the
                                    served one
  --witness <verifier key>          a witness whose cosignatures count (C2SP
                                    tlog-cosignature); repeatable
  --quorum <n>                      how many of the given witnesses must have
                                    cosigned (default 1)
  --policy <file>                   keys of logs, witnesses and their quorum
                                    from a file (C2SP tlog-policy)
  --notary <verifier key>           a notary whose statements count, for \`value\`
                                    and \`bundle\`; repeatable
  --notaries <n>                    how many of the given notaries must have
                                    carried what the value was read from
                                    (default 1)
  --evidence <file>                 \`bundle\`: what the log has beside one of
                                    version 2, saved from /v1/attest with
                                    format=evidence; with --url it is fetched,
                                    with --dir read from a mirror's files.
                                    Without it no run is known that gave the
                                    value. One of version 4 has it inside
  --statements <file>               \`notary\`: evidence, or one signed statement:
                                    what this notary signed must be in its log;
                                    repeatable
  --header <height>=<file>          a Bitcoin block header you trust; repeatable
  --block <operator>=<hash>         \`chain\`: the hash that a node of this
                                    operator has for the block, asked when it
                                    was final; repeatable. Without it nobody was
                                    asked whether the block is one of the chain
  --looks <file>                    \`chain\`: a document of looks (log kind
                                    chain-looks), which names operators and the
                                    hash that each of them told a service. Whether
                                    a log has it is not looked at
  --operators <n>                   \`chain\`: how many must have the block
                                    (default 2)
  --final <file>                    \`chain\`, \`bundle\` and \`value\`: a document of
                                    finality (log kind chain-finality), which
                                    has who signed the block on the chain
                                    itself; repeatable, of earlier blocks, from
                                    whose validators it leads to those of this
                                    one. A bundle may have that of its block
  --trust <hash>                    \`chain\`, \`bundle\` and \`value\`: whom you trust
                                    to sign: the hash of validators
                                    (validators_hash, CometBFT), the root of a
                                    block of the beacon chain, or the hash of a
                                    set of authorities (GRANDPA); repeatable.
                                    Without it nobody says that who signed may
  --kept <file>                     a checkpoint you kept earlier, for \`bundle\`
                                    and \`value\`: without --key, its signers
                                    count
  --log <service>                   \`value\`, \`bundle\` and \`event\`: read the
                                    whole log there, and say whether a later
                                    batch replaced the value, or whether the log
                                    ends its days with these events
  --tlog-proof <file>               \`bundle\`: write the proof of the log's entry
                                    for other clients (C2SP tlog-proof), and the
                                    entry itself into <file>.entry
  --payee <file>                    \`receipt\`: the service's saved
                                    /.well-known/payee.json, which must name the
                                    address paid
  --proof <file>                    \`sale\`: the saved
                                    /v1/log/sales/<commitment>, instead of
                                    asking the service
  --pay-to <address>                \`payee\`: the address that you are about to
                                    pay
  --head <hash>                     \`signals\`: hash of a row you kept or read in
                                    the log; repeatable
  --authority <host>                the service's own host (with its port unless
                                    that is the default), where you reach it
                                    under another: signatures cover it
  --body-only                       \`response\`: you ask only about body, time
                                    and path, not about query and status
  --not-before <ISO 8601 time>      treat anything earlier as stale
  --state <file>                    \`monitor\`: what was seen and checked so far,
                                    so that only what is new is checked. It
                                    remembers keys, and keeps heads that
                                    contradict each other as evidence.
                                    \`notary\`: the same of a notary's log
  --answers <folder>                \`monitor\`: answers that were saved in any
                                    place, one a file: the URL in the first
                                    line, then what \`curl -i\` wrote, as
                                    \`response --save\` does. The heads that they
                                    name must all be of this log
  --once                            \`monitor\`: look once and exit, instead of
                                    every hour
  --log-only                        \`monitor\`: only the files of the log,
                                    because a static copy has nothing else
  --anchored                        \`bundle\` and \`value\`: require a Bitcoin
                                    block, whose header comes from --header or
                                    from two block explorers that agree, never
                                    from the bundle
  --network <name>                  bitcoin (default) or bitcoin-regtest-fixture
  --minutes <n>                     how long it may take (default 30), of
                                    \`monitor\` each look
  --memory <MiB>                    how much memory it may use (default 2048).
                                    What needs more of either is not proved
  --json                            print one JSON object instead of lines

What remains to be trusted: that a key came from the operator and is not stolen;
that he recorded what upstreams said, or, of what notaries carried, that he
controls none of them and no way between one and the host; the times of what
neither a block nor a given witness dates; the explorers that give block
headers; and the file of pins and this machine's clock. A demo's keys go by its
own clock, and its data are simulated.

Exit code: 0 if everything requested holds, by a key that you gave or by a
checkpoint that you kept; 1 if something does not hold; 2 if something is not
proved (nobody vouches for the key, a timestamp is pending) or could not be
looked at. ESPLORA_URL sets the block explorers (comma-separated),
PLUMBLINE_PINS the file of pins; PLUMBLINE_API_KEY is the API key \`signals\`
uses.`

const emptyList: Array<string> = []

const options = {
  headers: { type: "string" },
  url: { type: "string" },
  method: { type: "string", default: "GET" },
  key: { type: "string", multiple: true, default: emptyList },
  witness: { type: "string", multiple: true, default: emptyList },
  quorum: { type: "string" },
  policy: { type: "string" },
  notary: { type: "string", multiple: true, default: emptyList },
  notaries: { type: "string" },
  authority: { type: "string" },
  evidence: { type: "string" },
  statements: { type: "string", multiple: true, default: emptyList },
  state: { type: "string" },
  answers: { type: "string" },
  dir: { type: "string" },
  once: { type: "boolean", default: false },
  "log-only": { type: "boolean", default: false },
  "body-only": { type: "boolean", default: false },
  keys: { type: "string" },
  pins: { type: "string" },
  symbol: { type: "string" },
  metric: { type: "string" },
  date: { type: "string" },
  source: { type: "string" },
  from: { type: "string" },
  save: { type: "string" },
  file: { type: "string" },
  header: { type: "string", multiple: true, default: emptyList },
  block: { type: "string", multiple: true, default: emptyList },
  looks: { type: "string" },
  operators: { type: "string" },
  final: { type: "string", multiple: true, default: emptyList },
  trust: { type: "string", multiple: true, default: emptyList },
  kept: { type: "string" },
  log: { type: "string" },
  "tlog-proof": { type: "string" },
  payee: { type: "string" },
  proof: { type: "string" },
  "pay-to": { type: "string" },
  head: { type: "string", multiple: true, default: emptyList },
  "not-before": { type: "string" },
  anchored: { type: "boolean", default: false },
  network: { type: "string", default: "bitcoin" },
  minutes: { type: "string", default: "30" },
  memory: { type: "string", default: "2048" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const satisfies Readonly<Record<EvidenceOption, unknown>> & NonNullable<ParseArgsConfig["options"]>

/** Throws a `TypeError` with a code where an option is unknown or lacks its value. */
export const parse = (args: ReadonlyArray<string>) =>
  parseArgs({ args: [...args], options, allowPositionals: true })

/** What the program runs, and within which bounds; undefined for what only prints help. Throws as `parse` does, and where a bound is no number. */
export const boundsOf = (
  args: ReadonlyArray<string>
): { readonly bounds: Bounds; readonly values: Values; readonly isHourly: boolean } | undefined => {
  const { positionals, values } = parse(args)
  const [name] = positionals[0] === "verify" ? positionals.slice(1) : positionals
  if (values.help || name === undefined) return undefined
  const [memory, minutes] = [Number(values.memory), Number(values.minutes)]
  if (!Number.isInteger(memory) || memory < 64 || memory > 1_000_000)
    throw new CouldNotLook("--memory must be a whole number of MiB, at least 64")
  if (!(minutes > 0 && minutes <= 10_000))
    throw new CouldNotLook("--minutes must be a number above 0, at most 10000")
  return { bounds: { memory, minutes }, values, isHourly: name === "monitor" && !values.once }
}

export type Values = ReturnType<typeof parse>["values"]
