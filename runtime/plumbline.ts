/**
 * The command tree. Each command has its own file in `commands/`, and only those that the command line names are loaded:
 * most of them load the whole service, while the list of commands needs one line of each.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"

/** The line of each command in the list, and the command itself. */
export const commands = {
  serve: {
    about: "Collect from upstreams and serve the API",
    load: async () => (await import("./commands/serve.ts")).serve
  },
  status: {
    about: "Show the state of the service and of each feed",
    load: async () => (await import("./commands/status.ts")).status
  },
  doctor: {
    about: "Check everything that the service needs, and say what to do",
    load: async () => (await import("./commands/doctor.ts")).doctor
  },
  batch: {
    about: "Manage the daily batches",
    load: async () => (await import("./commands/batch.ts")).batch
  },
  brief: {
    about: "Manage the weekly brief",
    load: async () => (await import("./commands/brief.ts")).brief
  },
  incident: {
    about: "Exclude readings, and release them again",
    load: async () => (await import("./commands/incident.ts")).incident
  },
  report: {
    about: "Enter what readers report as wrong, and what came of it",
    load: async () => (await import("./commands/report.ts")).report
  },
  confirm: {
    about: "Confirm a feed, or a reading that is held back, after looking at it",
    load: async () => (await import("./commands/confirm.ts")).confirm
  },
  rederive: {
    about: "Read stored answers again with a plugin's newer code",
    load: async () => (await import("./commands/rederive.ts")).rederive
  },
  key: {
    about: "Manage the signing keys",
    load: async () => (await import("./commands/key.ts")).key
  },
  clock: {
    about: "Confirm the clock, if the service doubts it",
    load: async () => (await import("./commands/clock.ts")).clock
  },
  log: {
    about: "Check, mirror, publish, list, repair and restart the log",
    load: async () => (await import("./commands/log.ts")).log
  },
  credits: {
    about: "Manage the credits of accounts",
    load: async () => (await import("./commands/credits.ts")).credits
  },
  ledger: {
    about: "Check the ledger",
    load: async () => (await import("./commands/ledger.ts")).ledger
  },
  money: {
    about: "Settle what is held, unmatched or owed, check that the books balance, and close months",
    load: async () => (await import("./commands/money.ts")).money
  },
  tier: {
    about: "Manage the tiers of accounts",
    load: async () => (await import("./commands/tier.ts")).tier
  },
  derivation: {
    about: "Export runs with everything they were derived from",
    load: async () => (await import("./commands/derivation.ts")).derivation
  },
  backup: {
    about: "Write a backup of the database, bodies and remembered heads",
    load: async () => (await import("./commands/backup.ts")).backup
  },
  restore: {
    about: "Restore a backup into an empty database",
    load: async () => (await import("./commands/restore.ts")).restore
  },
  plugin: {
    about: "Create, check and list plugins",
    load: async () => (await import("./commands/plugin.ts")).plugin
  },
  collect: {
    about: "Run one plugin once against its upstream and show the rows, without storing them",
    load: async () => (await import("./commands/collect.ts")).collect
  },
  probe: {
    about: "Run plugins once against their upstreams and report the results",
    load: async () => (await import("./commands/probe.ts")).probe
  },
  record: {
    about: "Record what an upstream answers as a test case",
    load: async () => (await import("./commands/record.ts")).record
  },
  replay: {
    about: "Derive rows from recordings and compare them with the expected ones",
    load: async () => (await import("./commands/replay.ts")).replay
  },
  db: {
    about: "Migrate or copy the database",
    load: async () => (await import("./commands/db.ts")).db
  },
  upgrade: {
    about: "Say what a start of this version would do to the database",
    load: async () => (await import("./commands/upgrade.ts")).upgrade
  },
  rollout: {
    about: "Restart the processes of a cluster one after the other",
    load: async () => (await import("./commands/rollout.ts")).rollout
  },
  secret: {
    about: "Manage the server secret",
    load: async () => (await import("./commands/secret.ts")).secret
  },
  verify: {
    about:
      "Verify responses, values, bundles, the log and timestamps without trusting the service (see `verify --help`)",
    load: async () => (await import("./commands/verify.ts")).verify
  },
  notary: {
    about: "Carry the sessions of other collectors, and state what hosts answered in them",
    load: async () => (await import("./commands/notary.ts")).notary
  },
  witness: {
    about: "Cosign the checkpoints of other logs",
    load: async () => (await import("./commands/witness.ts")).witness
  }
} as const

const listed = (name: string, about: string) => Command.make(name).pipe(Command.withDescription(about))

type Loaded = Awaited<ReturnType<(typeof commands)[keyof typeof commands]["load"]>>

/** The tree for a command line. Shell completions need all of it. */
export const plumbline = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const complete = argv.some((word) => word.startsWith("--completions"))
  const subcommands: Array<Loaded | ReturnType<typeof listed>> = []
  for (const [name, { about, load }] of Object.entries(commands)) {
    subcommands.push(
      complete || argv.includes(name)
        ? // biome-ignore lint/plugin/promise: code that cannot be imported is a defect
          yield* Effect.promise((): Promise<Loaded> => load())
        : listed(name, about)
    )
  }
  return Command.make("plumbline").pipe(
    Command.withDescription("A verifiable data service for physical infrastructure networks"),
    Command.withSubcommands(subcommands)
  )
})
