/** Whether test money would pass for real money, and whether the test service is there. */
import { Effect, Option } from "effect"
import type { Settings } from "../settings/Settings.ts"
import { playMoney } from "../settings/testMode.ts"
import { type Finding, findingFor } from "./Finding.ts"

const settings = findingFor("settings")
const reach = findingFor("reach")

const patience = 5000

/** What the test service says of itself: the value of `Plumbline-Mode`; why it was not heard, as a failure. */
const modeAt = (service: URL) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(new URL("/health", service), { signal: AbortSignal.timeout(patience) })
      return response.headers.get("plumbline-mode")
    },
    catch: () => `no answer from ${service.host}`
  })

const ofService = (service: URL) =>
  Effect.match(modeAt(service), {
    onFailure: (why): Finding =>
      reach("warn", `test mode: ${why}`, "start the test service, or correct TEST_SERVICE"),
    onSuccess: (mode): Finding =>
      mode === "test"
        ? reach("ok", `test service at ${service.host}`)
        : reach(
            "fail",
            `${service.host} (TEST_SERVICE) is not a test service, so nothing below /test is answered`,
            "start it with TEST_MODE=true, or correct TEST_SERVICE"
          )
  })

/** Real money on the test side is refused by the settings already. */
export const testModeFindings = Effect.fn("Doctor.testModeFindings")(function* (values: Settings["Service"]) {
  const { testMode } = values
  if (testMode.keys === "test")
    return [settings("ok", "test mode: Stripe and the chain, where they are set, are those of tests")]
  // A stand-in of Stripe takes any key, and is for tests of the service itself.
  const stripeSecretKey = Option.isSome(values.stripeApiBase) ? Option.none() : values.stripeSecretKey
  const play = playMoney({ ...values, stripeSecretKey }).map((why) =>
    settings("fail", why, "set the live value; test money belongs to a test service (TEST_MODE)")
  )
  return testMode.service === undefined ? play : [...play, yield* ofService(testMode.service)]
})
