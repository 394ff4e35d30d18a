/**
 * Test mode: a test service of its own (`TEST_MODE`), and the live one that hands over to it what is asked below `/test`
 * (`TEST_SERVICE`). Real money is refused on the test side here; `plumbline doctor` looks for test money on the live side.
 */
import { Config, Option, Redacted } from "effect"
import type { TestMode, testPath } from "../../http/HttpSettings.ts"

/** The compiler compares the two: a command that reads the settings does not load the HTTP interface. */
const path: typeof testPath = "/test"

export const testModeConfig = Config.all({
  TEST_MODE: Config.Boolean("TEST_MODE").pipe(Config.withDefault(false)),
  TEST_SERVICE: Config.option(Config.URL("TEST_SERVICE"))
})
type Values = Config.Success<typeof testModeConfig>

/** How money comes in, as far as test mode looks at it. */
interface MoneySettings {
  readonly stripeSecretKey: Option.Option<Redacted.Redacted>
  readonly evmRpcUrl: Option.Option<Redacted.Redacted>
  readonly evmChainId: number
}

/** Chains whose tokens are worth nothing, by their ids; test mode takes no others. */
const testChains: Readonly<Record<number, string>> = {
  84532: "Base Sepolia",
  31337: "a local chain"
}

const chainWords = Object.entries(testChains)
  .map(([id, name]) => `${id} (${name})`)
  .join(" or ")

/** Stripe writes the mode into each secret key: `sk_live_…`, `rk_test_…`. */
const stripeModeOf = (key: Redacted.Redacted): string | undefined =>
  /^[a-z]+_(live|test)_/.exec(Redacted.value(key))?.[1]

/** Why these settings could move real money; undefined if they cannot. */
const realMoney = ({ evmChainId, evmRpcUrl, stripeSecretKey }: MoneySettings): string | undefined => {
  if (Option.isSome(stripeSecretKey) && stripeModeOf(stripeSecretKey.value) !== "test")
    return "STRIPE_SECRET_KEY is not a test key of Stripe (sk_test_… or rk_test_…)"
  return Option.isSome(evmRpcUrl) && testChains[evmChainId] === undefined
    ? `EVM_CHAIN_ID ${evmChainId} is not a test chain: set ${chainWords}`
    : undefined
}

/** Why these settings take money that is worth nothing; one line for each reason. */
export const playMoney = ({
  evmChainId,
  evmRpcUrl,
  stripeSecretKey
}: MoneySettings): ReadonlyArray<string> => {
  const chain = Option.isSome(evmRpcUrl) ? testChains[evmChainId] : undefined
  return [
    ...(Option.isSome(stripeSecretKey) && stripeModeOf(stripeSecretKey.value) === "test"
      ? ["STRIPE_SECRET_KEY is a test key: cards are not charged"]
      : []),
    ...(chain === undefined ? [] : [`EVM_CHAIN_ID ${evmChainId} is ${chain}: its tokens are worth nothing`])
  ]
}

const isOrigin = ({ href, origin, protocol }: URL): boolean => protocol === "http:" && href === `${origin}/`

/** The test mode that these settings ask for; a text says what is wrong with them. */
export const testModeOf = (
  { TEST_MODE, TEST_SERVICE }: Values,
  money: MoneySettings,
  baseUrl: Option.Option<URL>
): TestMode | string => {
  if (!TEST_MODE) {
    if (Option.isNone(TEST_SERVICE)) return { keys: "live" }
    return isOrigin(TEST_SERVICE.value)
      ? { keys: "live", service: TEST_SERVICE.value }
      : "TEST_SERVICE must be the address of the test service in your own network, e.g. http://127.0.0.1:8090"
  }
  if (Option.isSome(TEST_SERVICE))
    return "TEST_MODE and TEST_SERVICE are both set: a test service has none behind it; unset one of them"
  if (Option.isNone(baseUrl) || !baseUrl.value.pathname.endsWith(path))
    return `BASE_URL must be the live service's public URL and ${path}, because TEST_MODE is set`
  const why = realMoney(money)
  return why === undefined ? { keys: "test" } : `TEST_MODE is set, and ${why}`
}
