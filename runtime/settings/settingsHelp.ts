/** The settings as `plumbline serve --help` lists them. `Settings.ts` reads them. */
import { program } from "../../core/process/program.ts"

const settings: ReadonlyArray<readonly [names: string, what: string]> = [
  ["HOST, PORT", "address and port to listen on (127.0.0.1, 8080)"],
  ["BASE_URL", "public URL of the service (http://HOST:PORT)"],
  [
    "OPERATOR_NAME, OPERATOR_ADDRESS, OPERATOR_LAW",
    "who answers for the service, the postal address on one line, and the law that the terms are under; pages say when nobody does"
  ],
  [
    "CONTACT_EMAIL, SECURITY_CONTACT",
    "mail address of readers' reports and questions; where weaknesses are reported, as mailto: or https: (security.txt)"
  ],
  [
    "SALES_URL, TERMS_URL, KEY_URL",
    "https pages of yours: where a contract is asked for, further terms, and the one that names the key of the log"
  ],
  ["DATA_DIR", "folder of the embedded database, bodies and keys (./data)"],
  ["DATABASE_URL", "Postgres 16 or newer, instead of the embedded database"],
  ["BLOBS_URL", "bucket for bodies, such as s3://my-bucket/bodies (with the database)"],
  ["AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION", "key and region of the buckets (us-east-1)"],
  [
    "AWS_ENDPOINT_URL, S3_PATH_STYLE",
    "S3-compatible endpoint; path-style URLs (default: true when an endpoint is set)"
  ],
  [
    "ARCHIVE_DIR",
    "folder of the archive's files, which replicas share (DATA_DIR/archive; with DATABASE_URL they are in the database)"
  ],
  ["ARCHIVE_URL", "bucket for the archive's files instead, such as s3://my-bucket/archive"],
  [
    "ARCHIVE_MEMORY_MIB",
    "memory of the process that reads long histories from the archive, in MiB; 0 reads them from the database (512)"
  ],
  [
    "CLUSTER_ADDRESS",
    "host:port at which the other processes on the same DATABASE_URL reach this one; without it, one process uses a database"
  ],
  [
    "ROLES",
    "work this process does in addition to serving requests, comma-separated, with CLUSTER_ADDRESS: collect, jobs, http (all); http alone only serves requests"
  ],
  [
    "DRAIN_SECONDS",
    "seconds to go on answering after SIGTERM, while /readyz already fails (5 with CLUSTER_ADDRESS, else 0)"
  ],
  [
    "SIGNING_KEY_FILE, LOG_KEY_FILE",
    `keys that sign answers and the log (created in DATA_DIR; required with DATABASE_URL, see ${program} key new)`
  ],
  [
    "LOG_HEAD_DIR",
    "folder of the newest head that this process signed or saw; keep it out of backups of DATA_DIR (the log key's folder, or DATA_DIR.heads if that is in DATA_DIR)"
  ],
  ["KEY_NOTICE_SECONDS", "seconds between announcing a new answer key and its first signature (600)"],
  [
    "SERVER_SECRET_FILE",
    `secret for keyed hashes (created in DATA_DIR; required with DATABASE_URL, see ${program} secret new)`
  ],
  ["TRUST_PROXY", "number of your own proxies in front of the service (0)"],
  [
    "MAX_CONNECTIONS",
    "connections at a time; beyond it, idle ones are closed first, and requests for pages refused before payments (what the limit of open files leaves)"
  ],
  [
    "MAX_CONNECTIONS_PER_NETWORK",
    "connections of one client network at a time, or with TRUST_PROXY its requests in progress (256)"
  ],
  [
    "ANSWER_SLOTS",
    "reads that are made at the same time; the others wait, and client networks take turns. Ready answers and payments never wait (2)"
  ],
  [
    "KEYLESS_PER_MINUTE, KEYLESS_PER_DAY",
    "requests per client network without a paid key, or off (300, 1500)"
  ],
  ["SUPPLY_SAMPLE, NETWORKS_SAMPLE", "number of networks in the free samples (12, 40)"],
  [
    "STARTER_CREDITS, STARTER_GRANTS",
    "USD granted to a new key, and how many keys per client network get it in 30 days (5, 3)"
  ],
  ["HEALTH_PROFILE_NETWORK", "symbol of the network offered as the health-profile product (FIL)"],
  ["KEEP_READINGS_DAYS, KEEP_BODIES_DAYS", "days to keep readings and raw payloads (90, 90)"],
  [
    "KEEP_RUNS_DAYS",
    "days until runs and their exchanges move from the database to files among the bodies, 90 or more, and not before their readings and payloads are gone (90)"
  ],
  [
    "COLLECTOR_MEMORY_MIB",
    "memory for all plugins together, in MiB; a plugin that exceeds it is paused (1024)"
  ],
  ["ENABLE_PLUGINS", "disabled plugins to run, comma-separated"],
  [
    "PLUGINS",
    "plugins from elsewhere: folders and installed packages, comma-separated; rows are marked as not reviewed. One that is data needs no trust. You trust the code of one that has code: it runs in a process that cannot read other files, write or start anything, and the network is not closed to it. Its keys and settings are PLUGIN_<ID>_<NAME>"
  ],
  ["OTS_CALENDARS", "OpenTimestamps calendars, comma-separated"],
  [
    "WITNESSES",
    "witnesses that cosign the log and the quorum of them: a policy (C2SP tlog-policy), the name of a file with one, or on one line [<n> of] <verifier key> <URL>[, <verifier key> <URL>]..., all of them unless a number says how many; with `required` before it, no head is served without the quorum's cosignatures"
  ],
  [
    "LOG_MIRRORS",
    "hosts of copies of the log, comma-separated URLs, not the service's own: it asks them for their newest head before it signs, and signs nothing that does not extend it"
  ],
  [
    "NOTARIES",
    "notaries that carry the collectors' sessions and state what hosts answered, one a line or separated by commas: <verifier key> https://<token>@<host>, or the name of a file with them; a secret, because of the tokens"
  ],
  [
    "OBSERVERS",
    "other operators of Plumbline, whose values of each closed day are compared with ours: <verifier key of the log> <https URL>[, <verifier key> <URL>]..., or the name of a file with one on each line"
  ],
  [
    "CHAIN_LOOKS",
    "nodes of chains whose operators are asked, once a day is closed, which block they have where its proofs name one: <chain by CAIP-2> <operator> <https URL>[, ...], or the name of a file with one on each line; at least two operators of a chain, better three. Without it no block is said to be one of its chain (none)"
  ],
  [
    "PERMISSIONS",
    "file with what upstreams allowed this operator beyond their public terms, the same for all processes: a JSON list of { feed, uses, from, until, reference }, where uses are of show, bulk, sell and bodies; it is read at the start, stated in the log and shown on /sources"
  ],
  [
    "SELL_UNKNOWN_RIGHTS",
    "false: values whose source's terms nobody has read are not sold (true: they are, with the rights that are known)"
  ],
  [
    "SIMULATED_PERMISSIONS",
    "false: serve --replay plays without the permissions that it makes up so that everything can be tried (true); the live service never has any"
  ],
  ["ESPLORA_URL", "Esplora block explorers to read Bitcoin headers from, comma-separated"],
  ["ANCHOR_NETWORK", "bitcoin, or bitcoin-regtest-fixture for tests (bitcoin)"],
  ["STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET", "card payments; set both or neither"],
  ["STRIPE_API_BASE", "URL of a stand-in for Stripe, for tests"],
  ["EVM_RPC_URL, EVM_CHAIN_ID", "JSON-RPC URL and id of the chain for stablecoin payments (8453: Base)"],
  [
    "USDC_ADDRESS, DEPOSIT_ADDRESS",
    "token contract (default: the chain's native USDC), and the address that receives top-ups"
  ],
  ["X402_PAY_TO", "address that receives payments per request"],
  [
    "X402_SETTLER_KEY, X402_FACILITATOR_URL",
    "who settles payments per request: our own key with gas money, or a facilitator"
  ],
  [
    "WARRANTY_DAYS, WARRANTY_MAX_AGE_HOURS, WARRANTY_SHARE",
    "warranty of what is sold: for how many days, of values at most how old at the sale, and how many percent of the price are paid back; set all six or none (none)"
  ],
  [
    "WARRANTY_PER_SALE, WARRANTY_PER_DAY, WARRANTY_TOTAL",
    "at most so many USD by the warranty for a sale, on a UTC day, and in total; beyond the last two it stops and waits for you"
  ],
  [
    "TEST_MODE",
    "true: this is the test service, which issues keys of test mode and takes test money alone; with serve --replay and a BASE_URL that ends with /test"
  ],
  [
    "TEST_SERVICE",
    "address of the test service in your network, such as http://127.0.0.1:8090; requests below /test are handed to it (none)"
  ],
  ["MCP_ORIGINS", "origins of web pages that may call /mcp, comma-separated"],
  [
    "MCP_REGISTRY_KEY",
    "public Ed25519 key, base64, by which the registry of MCP servers believes that the domain is yours; served at /.well-known/mcp-registry-auth"
  ],
  [
    "METRICS_PORT",
    "port of its own for /metrics (Prometheus), which anyone who reaches it may read; without it, /metrics on PORT answers callers of this machine and of private networks"
  ],
  [
    "SETTINGS_FILE",
    "file of lines NAME=value, for LOG_LEVEL, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_NETWORK, OTS_CALENDARS, ESPLORA_URL and WITNESSES; SIGHUP reads it again"
  ],
  ["LOG_FORMAT, LOG_LEVEL", "text or json; debug, info, warn or error (text, info)"],
  [
    "WEBHOOK_LOOPBACK",
    "true: webhooks may be sent to http://127.0.0.1, for tests; otherwise only to https at public addresses"
  ],
  [
    "SMTP_URL, MAIL_FROM",
    "mail server for alerts, such as smtps://user:password@mail.example.org, and the sender of the mails; without them no alert goes by mail"
  ],
  ["TELEGRAM_BOT_TOKEN", "token of the Telegram bot that sends alerts; without it no alert goes there"],
  [
    "MESSENGER_MAP",
    "local stand-ins of the hosts that alerts are sent to, for tests: ntfy.sh=http://127.0.0.1:8090,…"
  ],
  ["OTLP_ENDPOINT", "URL of an OpenTelemetry collector for traces, logs and metrics"],
  [
    "OTLP_HEADERS",
    "headers for it, such as Authorization=Bearer%20secret, comma-separated, values URL-encoded"
  ],
  ["OTLP_SAMPLE", "share of the traces that are sent, from 0 to 1 (0.01)"],
  ["AI_API_BASE, AI_MODEL, AI_API_KEY", "language model that writes the analyses of depin_ai_intel"],
  [
    "UPSTREAM_MAP",
    "stand-ins for upstreams, for tests: host=http://127.0.0.1:port, comma-separated; permanently marks the database as test data"
  ]
]

export const settingsHelp = [
  "Settings are environment variables. Defaults are in parentheses.",
  ...settings.map(([names, what]) => `  ${names}\n      ${what}`),
  "Variables that plugins read (API keys, node addresses) are listed in plugins/README.md."
].join("\n")
