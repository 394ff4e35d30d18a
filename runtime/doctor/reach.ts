/** Which of the parties outside answer. Any answer counts, also a refusal: it shows that there is a way. */
import { Clock, Effect, Option, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { program } from "../../core/process/program.ts"
import * as Plugins from "../collector/plugins.ts"
import { parseNotaries, parseNotary } from "../notaries/drawing.ts"
import { liveOf, type Settings } from "../settings/Settings.ts"
import { witnessPolicyOf } from "../settings/witnessPolicy.ts"
import { plainWords } from "../upstream/plainWords.ts"
import { type Finding, findingFor } from "./Finding.ts"

const patience = "5 seconds"
const atOnce = 64

/** What an address said: its clock (epoch milliseconds) relative to ours where it told one, or why it did not answer. */
type Answer = { readonly ahead: number | undefined } | { readonly why: string }

const codeOf = (error: unknown): string => {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code
  }
  return ""
}

const ask = (url: URL): Effect.Effect<Answer> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const { headers } = yield* HttpClient.get(url)
    const ended = yield* Clock.currentTimeMillis
    const date = Date.parse(headers["date"] ?? "")
    return { ahead: Number.isNaN(date) ? undefined : date - (began + ended) / 2 }
  }).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.succeed({ why: `no answer within ${patience}` })
    }),
    Effect.catch((error) =>
      Effect.succeed({ why: plainWords(codeOf(error), url.host) ?? `${url.host} cannot be reached` })
    ),
    Effect.provide(FetchHttpClient.layer)
  )

interface Party {
  readonly what: string
  readonly setting: string
  readonly url: URL | null
}

/** The parties that the settings name. Only their hosts are ever shown: a path may hold a key. */
const parties = (settings: Settings["Service"]): ReadonlyArray<Party> => {
  const { esploraUrls, otsCalendars } = liveOf(settings)
  const one = (what: string, setting: string, url: Option.Option<URL | string>): ReadonlyArray<Party> =>
    Option.match(url, {
      onNone: () => [],
      onSome: (value) => [{ what, setting, url: URL.parse(String(value)) }]
    })
  const card = Option.map(settings.stripeSecretKey, () =>
    Option.getOrElse(settings.stripeApiBase, () => new URL("https://api.stripe.com"))
  )
  return [
    ...otsCalendars.flatMap((url) => one("calendar", "OTS_CALENDARS", Option.some(url))),
    ...esploraUrls.flatMap((url) => one("block explorer", "ESPLORA_URL", Option.some(url))),
    ...one("chain", "EVM_RPC_URL", Option.map(settings.evmRpcUrl, Redacted.value)),
    ...one("facilitator", "X402_FACILITATOR_URL", settings.x402FacilitatorUrl),
    ...one("card payments", "STRIPE_API_BASE", card),
    ...one("language model", "AI_API_BASE", settings.aiApiBase),
    ...settings.logMirrors.flatMap((url) => one("mirror", "LOG_MIRRORS", Option.some(url))),
    ...one("telemetry", "OTLP_ENDPOINT", settings.otlpEndpoint),
    ...notariesOf(settings)
  ]
}

/** The service itself explains a policy that cannot be used. */
const witnessesOf = (settings: Settings["Service"]): Effect.Effect<ReadonlyArray<Party>> => {
  const { witnesses } = liveOf(settings)
  return Option.isNone(witnesses)
    ? Effect.succeed([])
    : witnessPolicyOf(witnesses.value).pipe(
        Effect.map((policy) =>
          policy.witnesses.map(({ url }) => ({
            what: "witness",
            setting: "WITNESSES",
            url: URL.parse(url ?? "")
          }))
        ),
        Effect.orElseSucceed(() => [])
      )
}

/** Without their tokens. A setting that cannot be used, or the name of a file, the service itself explains and reads. */
const notariesOf = ({ notaries }: Settings["Service"]): ReadonlyArray<Party> => {
  const text = Option.match(notaries, { onNone: () => "", onSome: Redacted.value })
  try {
    return parseNotaries(text).map((notary) => ({
      what: "notary",
      setting: "NOTARIES",
      url: new URL("/health", parseNotary(notary).url)
    }))
  } catch {
    return []
  }
}

/** Addresses that upstreams are read at: one for each host of an enabled plugin, or its stand-in. */
const upstreamsOf = Effect.fnUntraced(function* ({ enabledPlugins, map }: Settings["Service"]) {
  const plugins = yield* Plugins.all()
  const hosts = new Set(
    plugins
      .filter(({ manifest }) => manifest.disabled === undefined || enabledPlugins.includes(manifest.id))
      .flatMap(({ manifest }) => manifest.hosts)
      .filter((host) => !host.includes("*"))
  )
  return [...hosts].sort().map((host) => ({ host, url: map.get(host) ?? new URL(`https://${host}/`) }))
})

const some = (names: ReadonlyArray<string>): string =>
  names.length <= 10 ? names.join(", ") : `${names.slice(0, 10).join(", ")} and ${names.length - 10} more`

const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const clock = findingFor("clock")
const reach = findingFor("reach")

/** What our clock is off by, which the servers that answered agree on. */
const ofClock = (ahead: ReadonlyArray<number>): Finding => {
  const off = median(ahead)
  if (off === undefined) return clock("skip", "no server answered that tells the time")
  const seconds = Math.round(Math.abs(off) / 1000)
  const message = `this clock is ${seconds} s ${off > 0 ? "behind" : "ahead of"} ${ahead.length} servers`
  if (seconds < 5) return clock("ok", `within 5 s of ${ahead.length} servers`)
  const action = "run a time service, such as systemd-timesyncd or chrony"
  return clock(seconds < 60 ? "warn" : "fail", message, action)
}

export const reachability = Effect.fn("Doctor.reachability")(function* (settings: Settings["Service"]) {
  const ahead: Array<number> = []
  const noted = (answer: Answer): Answer => {
    if ("ahead" in answer && answer.ahead !== undefined) ahead.push(answer.ahead)
    return answer
  }
  const askAll = <A extends { readonly url: URL | null }>(all: ReadonlyArray<A>) =>
    Effect.forEach(
      all,
      (one) =>
        Effect.map(
          one.url === null
            ? Effect.succeed<Answer>({ why: "is not a URL" })
            : Effect.map(ask(one.url), noted),
          (answer) => ({ one, answer })
        ),
      { concurrency: atOnce }
    )
  const witnesses = yield* witnessesOf(settings)
  const named = (yield* askAll([...parties(settings), ...witnesses])).map(
    ({ answer, one: { setting, url, what } }) => {
      const host = url?.host ?? ""
      return "why" in answer
        ? reach(
            "warn",
            `${what} ${host}: ${answer.why}`,
            `check ${setting}, the name server and the firewall`
          )
        : reach("ok", `${what} ${host}`)
    }
  )
  const results = yield* askAll(yield* Effect.orDie(upstreamsOf(settings)))
  const away = results.flatMap(({ answer, one: { host } }) => ("why" in answer ? [host] : []))
  const upstreams =
    away.length === 0
      ? reach("ok", `all ${results.length} hosts of upstreams`)
      : reach(
          away.length > results.length / 4 ? "fail" : "warn",
          `${away.length} of ${results.length} hosts of upstreams do not answer: ${some(away)}`,
          away.length > results.length / 4
            ? "check the name server and the firewall: so many seldom fail at once"
            : `${program} status shows whether their feeds give values`
        )
  return [...named, upstreams, ofClock(ahead)]
})
