/** The observers in the settings: other operators, whose values of each day are compared with those of this service. */
import { readFile } from "node:fs/promises"
import { Effect, Layer, Option } from "effect"
import { LogKey } from "../../core/log/Log.ts"
import { AgreementLog } from "../../core/log/observers/AgreementLog.ts"
import { type Observer, Observers } from "../../core/log/observers/Observers.ts"
import { mostObservers } from "../../core/proof/agreement.ts"
import { equalBytes, Malformed } from "../../core/proof/bytes.ts"
import { parseVkey, type Verifier } from "../../core/proof/checkpoint.ts"
import * as Http from "../outside/observers.ts"
import { SimulatedSeats } from "../outside/simulatedSeats.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"

const refuse = (message: string) => new SettingsError({ message: `OBSERVERS: ${message}` })

/** A line, or a part of one between commas. */
const form = /^(\S+\+[0-9a-f]{8}\+\S+)\s+(\S+)$/

const example = "<verifier key of the log> https://plumbline.example.org"

const partsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("#"))

/** The parts of the setting, or of the file that it names. */
const readParts = Effect.fnUntraced(function* (setting: string) {
  const parts = partsOf(setting)
  if (parts.length !== 1 || parts[0]?.includes("+") === true) return parts
  const file = yield* Effect.tryPromise({
    try: () => readFile(setting.trim(), "utf8"),
    catch: (error) =>
      refuse(
        `the file "${setting.trim()}" cannot be read: ${error instanceof Error ? error.message : String(error)}`
      )
  })
  return partsOf(file)
})

/** True for an address that may carry what is verified anyway: https, or a process of the same machine. */
const isAddress = ({ hash, hostname, protocol, search, username }: URL): boolean =>
  (protocol === "https:" || (protocol === "http:" && /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname))) &&
  search + hash + username === ""

const keyOf = (text: string): Effect.Effect<Verifier, SettingsError> =>
  Effect.try({
    try: () => parseVkey(text),
    catch: (error) => {
      if (error instanceof Malformed) return refuse(`${text.slice(0, 120)}: ${error.message}`)
      throw error
    }
  })

const observerOf = Effect.fnUntraced(function* (part: string) {
  const [, vkey, address = ""] = form.exec(part) ?? []
  if (vkey === undefined)
    return yield* refuse(`"${part.slice(0, 120)}" is not an observer (expected ${example})`)
  const key = yield* keyOf(vkey)
  const url = URL.parse(address)
  if (url === null || !isAddress(url))
    return yield* refuse(
      `"${address.slice(0, 120)}" of ${key.name} is not an https address (expected ${example})`
    )
  return { key, url: url.href.replace(/\/+$/, "") } satisfies Observer
})

/** What observers have in common with this service or with each other: then they observe nothing. */
const requireOthers = Effect.fnUntraced(function* (all: ReadonlyArray<Observer>, base: string) {
  const { keys, origin } = yield* LogKey
  const own = keys().filter(({ purpose }) => purpose === "log")
  if (all.length > mostObservers)
    return yield* refuse(`at most ${mostObservers} observers, not ${all.length}`)
  for (const [place, { key, url }] of all.entries()) {
    if (own.some(({ publicKey }) => equalBytes(publicKey, key.publicKey)))
      return yield* refuse(`${key.name} has the key of this service's own log; name other operators`)
    if (key.name.toLowerCase() === origin.toLowerCase())
      return yield* refuse(`${key.name} is the name of this service's own log; name other operators`)
    if (new URL(url).host === new URL(base).host)
      return yield* refuse(`${url} is the address of this service; name other operators`)
    if (all.slice(0, place).some((one) => one.url === url || equalBytes(one.key.publicKey, key.publicKey)))
      return yield* refuse(`${key.name} is there twice`)
  }
})

/** The observers of a setting, whoever they are. */
export const namedObservers = Effect.fnUntraced(function* (setting: string) {
  const parts = yield* readParts(setting)
  if (parts.length === 0) return yield* refuse(`it names nobody (expected ${example})`)
  return yield* Effect.forEach(parts, observerOf)
})

/** The observers of a setting, none of which is this service. */
const observersIn = Effect.fnUntraced(function* (setting: string, base: string) {
  const all = yield* namedObservers(setting)
  yield* requireOthers(all, base)
  return all
})

/** The observers. A replay has those that it plays itself: nobody else has its made-up days. */
export const observers = (mode: "live" | "mapped" | "replay") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { base, observers: setting } = yield* Settings
      if (mode !== "replay")
        return Http.layer(Option.isNone(setting) ? [] : yield* observersIn(setting.value, base))
      const seats = yield* SimulatedSeats
      return seats === undefined ? Http.layer([]) : Layer.succeed(Observers, seats.observers)
    })
  )

/** The comparison with the observers, and these. */
export const layer = (mode: "live" | "mapped" | "replay") =>
  AgreementLog.layer.pipe(Layer.provideMerge(observers(mode)))
