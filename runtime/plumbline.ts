/**
 * The command tree. Each command has its own file in `commands/`, and only those that the command line names are loaded:
 * most of them load the whole service, while the list of commands needs one line of each.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"

/** The groups of the list, in its order. */
const groups = {
  ask: "ASK how things stand",
  verify: "VERIFY, and vouch for others",
  operate: "OPERATE a service",
  contribute: "CONTRIBUTE collectors"
} as const

/** The line of each command in the list, its group, and the command itself. */
export const commands = {
  serve: {
    group: "operate",
    about: "Collect from upstreams and serve the API",
    load: async () => (await import("./commands/serve.ts")).serve
  },
  status: {
    group: "ask",
    about: "Show the state of the service and of each feed",
    load: async () => (await import("./commands/status.ts")).status
  },
  doctor: {
    group: "ask",
    about: "Check everything that the service needs, and say what to do",
    load: async () => (await import("./commands/doctor.ts")).doctor
  },
  batch: {
    group: "operate",
    about: "Manage the daily batches",
    load: async () => (await import("./commands/batch.ts")).batch
  },
  brief: {
    group: "operate",
    about: "Manage the weekly brief",
    load: async () => (await import("./commands/brief.ts")).brief
  },
  incident: {
    group: "operate",
    about: "Exclude readings, and release them again",
    load: async () => (await import("./commands/incident.ts")).incident
  },
  report: {
    group: "operate",
    about: "Enter what readers report as wrong, and what came of it",
    load: async () => (await import("./commands/report.ts")).report
  },
  confirm: {
    group: "operate",
    about: "Confirm feeds, or a reading that is held back, after looking at them",
    load: async () => (await import("./commands/confirm.ts")).confirm
  },
  rederive: {
    group: "operate",
    about: "Read stored answers again with a plugin's newer code",
    load: async () => (await import("./commands/rederive.ts")).rederive
  },
  key: {
    group: "operate",
    about: "Manage the signing keys",
    load: async () => (await import("./commands/key.ts")).key
  },
  clock: {
    group: "operate",
    about: "Confirm the clock, if the service doubts it",
    load: async () => (await import("./commands/clock.ts")).clock
  },
  log: {
    group: "verify",
    about: "Check, mirror, publish, list, repair and restart the log",
    load: async () => (await import("./commands/log.ts")).log
  },
  credits: {
    group: "operate",
    about: "Manage the credits of accounts",
    load: async () => (await import("./commands/credits.ts")).credits
  },
  ledger: {
    group: "ask",
    about: "Check the ledger",
    load: async () => (await import("./commands/ledger.ts")).ledger
  },
  money: {
    group: "operate",
    about: "Settle what is held, unmatched or owed, and check that the books balance",
    load: async () => (await import("./commands/money.ts")).money
  },
  tier: {
    group: "operate",
    about: "Manage the tiers of accounts",
    load: async () => (await import("./commands/tier.ts")).tier
  },
  derivation: {
    group: "verify",
    about: "Export runs with everything they were derived from",
    load: async () => (await import("./commands/derivation.ts")).derivation
  },
  backup: {
    group: "operate",
    about: "Write a backup of the database, bodies and remembered heads",
    load: async () => (await import("./commands/backup.ts")).backup
  },
  restore: {
    group: "operate",
    about: "Restore a backup into an empty database",
    load: async () => (await import("./commands/restore.ts")).restore
  },
  plugin: {
    group: "contribute",
    about: "Create, check and list plugins",
    load: async () => (await import("./commands/plugin.ts")).plugin
  },
  collect: {
    group: "contribute",
    about: "Run one plugin once against its upstream and show the rows, without storing them",
    load: async () => (await import("./commands/collect.ts")).collect
  },
  probe: {
    group: "contribute",
    about: "Run plugins once against their upstreams and report the results",
    load: async () => (await import("./commands/probe.ts")).probe
  },
  record: {
    group: "contribute",
    about: "Record what an upstream answers as a test case",
    load: async () => (await import("./commands/record.ts")).record
  },
  replay: {
    group: "contribute",
    about: "Derive rows from recordings and compare them with the expected ones",
    load: async () => (await import("./commands/replay.ts")).replay
  },
  db: {
    group: "operate",
    about: "Migrate or copy the database",
    load: async () => (await import("./commands/db.ts")).db
  },
  upgrade: {
    group: "ask",
    about: "Say what a start of this version would do to the database",
    load: async () => (await import("./commands/upgrade.ts")).upgrade
  },
  rollout: {
    group: "operate",
    about: "Restart the processes of a cluster one after the other",
    load: async () => (await import("./commands/rollout.ts")).rollout
  },
  secret: {
    group: "operate",
    about: "Manage the server secret",
    load: async () => (await import("./commands/secret.ts")).secret
  },
  verify: {
    group: "verify",
    about:
      "Verify responses, values, bundles, the log and timestamps without trusting the service (see `verify --help`)",
    load: async () => (await import("./commands/verify.ts")).verify
  },
  notary: {
    group: "verify",
    about: "Carry the sessions of other collectors, and state what hosts answered in them",
    load: async () => (await import("./commands/notary.ts")).notary
  },
  witness: {
    group: "verify",
    about: "Cosign the checkpoints of other logs",
    load: async () => (await import("./commands/witness.ts")).witness
  }
} as const

const listed = (name: string, about: string) => Command.make(name).pipe(Command.withDescription(about))

type Loaded = Awaited<ReturnType<(typeof commands)[keyof typeof commands]["load"]>>

const examples = [
  { command: "plumbline serve --replay", description: "Look at a demo on this machine" },
  { command: "plumbline doctor", description: "Find out what a service lacks" },
  { command: "plumbline verify --help", description: "Check an answer, a value or the log of any service" },
  { command: "plumbline plugin new my-network", description: "Begin a collector" }
]

/** The tree for a command line. Shell completions need all of it. */
export const plumbline = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const complete = argv.some((word) => word.startsWith("--completions"))
  const loaded: Array<readonly [group: string, command: Loaded | ReturnType<typeof listed>]> = []
  for (const [name, { about, group, load }] of Object.entries(commands)) {
    loaded.push([
      group,
      complete || argv.includes(name)
        ? // biome-ignore lint/plugin/promise: code that cannot be imported is a defect
          yield* Effect.promise((): Promise<Loaded> => load())
        : listed(name, about)
    ])
  }
  return Command.make("plumbline").pipe(
    Command.withDescription("A verifiable data service for physical infrastructure networks"),
    Command.withSubcommands(
      Object.entries(groups).map(([group, title]) => ({
        group: title,
        commands: loaded.flatMap(([of, command]) => (of === group ? [command] : []))
      }))
    ),
    Command.withExamples(examples)
  )
})
