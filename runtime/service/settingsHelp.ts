/** What `plumbline serve --help` says of the settings; `settings.ts` reads them. */
const settings: ReadonlyArray<readonly [names: string, what: string]> = [
  ["HOST, PORT", "where it listens (127.0.0.1, 8080)"],
  ["BASE_URL", "the address that clients use (http://HOST:PORT)"],
  ["DATA_DIR", "the embedded database, bodies and keys (./data)"],
  ["DATABASE_URL", "a Postgres 16 or newer instead of the embedded one"],
  [
    "SIGNING_KEY_FILE",
    "the key that signs (made in DATA_DIR; must be set beside DATABASE_URL: plumbline key new)"
  ],
  [
    "SERVER_SECRET_FILE",
    "the secret behind keyed hashes (made in DATA_DIR; must be set beside DATABASE_URL: plumbline secret new)"
  ],
  ["TRUST_PROXY", "how many proxies of yours stand in front (0)"],
  ["KEYLESS_PER_MINUTE, KEYLESS_PER_DAY", "calls of one network without a paid key, or off (300, 1500)"],
  ["SUPPLY_SAMPLE, NETWORKS_SAMPLE", "networks in the free samples (12, 40)"],
  [
    "STARTER_CREDITS, STARTER_GRANTS",
    "USD of a new key, and how many keys of a network get it in 30 days (5, 3)"
  ],
  ["HEALTH_PROFILE_NETWORK", "the network whose health profile is sold (FIL)"],
  ["KEEP_READINGS_DAYS, KEEP_BODIES_DAYS", "days that readings and raw payloads are kept (90, 90)"],
  [
    "COLLECTOR_MEMORY_MIB",
    "MiB that all plugins together may hold; one that goes beyond is stopped for a while (1024)"
  ],
  ["ENABLE_PLUGINS", "plugins that run only when they are named here, by commas"],
  ["OTS_CALENDARS", "OpenTimestamps calendars, by commas"],
  ["ESPLORA_URL", "block explorers that give Bitcoin's headers, by commas"],
  ["ANCHOR_NETWORK", "bitcoin, or bitcoin-regtest-fixture for tests (bitcoin)"],
  ["STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET", "card payments; both or neither"],
  ["STRIPE_API_BASE", "a stand-in for Stripe"],
  [
    "EVM_RPC_URL, EVM_CHAIN_ID",
    "a node of the chain that stablecoins are paid on, and which it is (8453: Base)"
  ],
  ["USDC_ADDRESS, DEPOSIT_ADDRESS", "the token, where it is not the chain's own USDC, and where top-ups go"],
  ["X402_PAY_TO", "where payments per request go"],
  ["X402_SETTLER_KEY, X402_FACILITATOR_URL", "who settles them: a key with gas money, or a facilitator"],
  ["MCP_ORIGINS", "origins of web pages that may call /mcp, by commas"],
  ["OTLP_ENDPOINT", "an OpenTelemetry collector for traces, logs and metrics"],
  ["AI_API_BASE, AI_MODEL, AI_API_KEY", "a language model that writes the analyses of depin_ai_intel"],
  [
    "UPSTREAM_MAP",
    "host=http://127.0.0.1:port, by commas: stand-ins for upstreams, for tests; marks the database for ever"
  ]
]

export const settingsHelp = [
  "Settings come from the environment; in brackets what holds without one.",
  ...settings.map(([names, what]) => `  ${names}\n      ${what}`),
  "What plugins read (keys of upstreams, addresses of nodes) stands in plugins/README.md."
].join("\n")
