/** The witnesses in the settings, and the cosignatures that they give. */
import { readFile } from "node:fs/promises"
import { Context, Effect, Layer, Option, Stream, SubscriptionRef } from "effect"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { LogKey } from "../../core/log/Log.ts"
import { type Witness, Witnesses } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { inBackground } from "../../core/process/loop.ts"
import { Malformed, utf8 } from "../../core/proof/bytes.ts"
import { cosignatureType } from "../../core/proof/cosignature.ts"
import { noQuorum, type PolicyWitness, parsePolicy } from "../../core/proof/policy.ts"
import { onDuty } from "../cluster/Duties.ts"
import * as Http from "../outside/witnesses.ts"
import { liveOf, Settings, SettingsError } from "../settings/Settings.ts"

const refuse = (message: string) => new SettingsError({ message: `WITNESSES: ${message}` })

/**
 * The policy that one line is short for: `<vkey> <url>[, <vkey> <url>]...`, all of which must cosign, or `2 of` them. Undefined for
 * anything else.
 */
const policyOfLine = (line: string): string | undefined => {
  const [, least = "all", list = ""] = /^(?:([1-9]\d{0,3}) of )?(.*)$/.exec(line) ?? []
  const witnesses = list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
  if (witnesses.length === 0 || !witnesses.every((one) => /^\S+\+[0-9a-f]{8}\+\S+ \S+$/.test(one)))
    return undefined
  const names = witnesses.map((_, index) => `w${index + 1}`)
  return [
    ...witnesses.map((one, index) => `witness ${names[index]} ${one}`),
    `group named ${least} ${names.join(" ")}`,
    "quorum named"
  ].join("\n")
}

/** A policy, and the text that it was read from. */
export interface Policy extends Http.WitnessSet {
  readonly text: string
}

const nobody: Policy = { text: "", all: [], quorum: noQuorum }

/** `WITNESSES` is a policy (C2SP tlog-policy), the name of a file that contains one, or witnesses on one line. */
const policyOf = Effect.fnUntraced(function* (value: string) {
  const setting = policyOfLine(value.trim()) ?? value
  const isText = setting.includes("\n")
  const bytes = isText
    ? utf8(setting.endsWith("\n") ? setting : `${setting}\n`)
    : yield* Effect.tryPromise({
        try: () => readFile(setting),
        catch: (error) =>
          refuse(
            `the policy file "${setting}" cannot be read: ${error instanceof Error ? error.message : String(error)}`
          )
      })
  const policy = yield* Effect.try({
    try: () => parsePolicy(new Uint8Array(bytes)),
    catch: (error) => refuse(error instanceof Malformed ? error.message : String(error))
  })
  return {
    text: Buffer.from(bytes).toString("latin1"),
    all: yield* Effect.forEach(policy.witnesses, reachable),
    quorum: policy.quorum
  } satisfies Policy
})

/** A policy's names and addresses are octets; people write them in UTF-8. */
const inUtf8 = (octets: string): string => Buffer.from(octets, "latin1").toString("utf8")

const reachable = ({ key, url, ...line }: PolicyWitness): Effect.Effect<Witness, SettingsError> => {
  const name = inUtf8(line.name)
  if (key.type !== cosignatureType) {
    return Effect.fail(
      refuse(`witness ${name} has an ML-DSA key; only Ed25519 cosignatures (type 0x04) are supported`)
    )
  }
  const parsed = URL.parse(inUtf8(url ?? ""))
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.search + parsed.hash !== "") {
    return Effect.fail(
      refuse(`witness ${name} needs its address at the end of the line, e.g. https://witness.example.org`)
    )
  }
  return Effect.succeed({ name, key, url: parsed.href.replace(/\/+$/, "") })
}

/** The witnesses of the moment, and how they are read again. A replay has none: nothing that it signs is true. */
export class WitnessPolicy extends Context.Service<
  WitnessPolicy,
  {
    readonly current: SubscriptionRef.SubscriptionRef<Policy>
    /** The policy that the setting names now, without taking it over. */
    readonly read: (setting: Option.Option<string>) => Effect.Effect<Policy, SettingsError>
  }
>()("runtime/WitnessPolicy") {
  static readonly layer = (mode: "live" | "mapped" | "replay") =>
    Layer.effect(
      WitnessPolicy,
      Effect.gen(function* () {
        const read = (setting: Option.Option<string>): Effect.Effect<Policy, SettingsError> =>
          mode === "replay" || Option.isNone(setting) ? Effect.succeed(nobody) : policyOf(setting.value)
        const first = yield* read(liveOf(yield* Settings).witnesses)
        return WitnessPolicy.of({ current: yield* SubscriptionRef.make(first), read })
      })
    )
}

const witnesses = Layer.unwrap(
  Effect.map(WitnessPolicy, ({ current }) => Http.layer(() => SubscriptionRef.getUnsafe(current)))
)

/** The witnesses and the heads that they hold. */
export const heads = (mode: "live" | "mapped" | "replay") =>
  WitnessHeads.layer.pipe(Layer.provideMerge(witnesses), Layer.provideMerge(WitnessPolicy.layer(mode)))

/** How often each witness is looked after. A round without a new head costs a query. */
const every = "15 seconds"

/**
 * Offers heads to each witness on its own: none waits for another, and the log waits for none. One process does it, and
 * all know how the witnesses fare.
 */
export const offering = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current } = yield* WitnessPolicy
    const cosignatures = yield* Cosignatures
    const all = () => SubscriptionRef.getUnsafe(current).all
    yield* inBackground(
      "hearing how the witnesses fare",
      every,
      Effect.suspend(() => (all().length === 0 ? Effect.void : cosignatures.hear))
    )
    const names = new Set<string>()
    // A duty is never given back: one whose witness is gone has nothing to do.
    const offer = (name: string) =>
      Effect.suspend(() => {
        const witness = all().find((one) => one.name === name)
        return witness === undefined ? Effect.void : cosignatures.offer(witness)
      })
    const take = Effect.fnUntraced(function* (name: string) {
      if (names.has(name)) return
      names.add(name)
      yield* onDuty(`cosigning by witness ${name}`, every, offer(name))
    })
    const takeAll = Effect.suspend(() => Effect.forEach(all(), ({ name }) => take(name), { discard: true }))
    yield* takeAll
    yield* inBackground(
      "following the witnesses in the settings",
      "1 second",
      Stream.runForEach(SubscriptionRef.changes(current), () => takeAll)
    )
  })
)

export const layer = Layer.merge(offering, Cosignatures.layerStates).pipe(
  Layer.provideMerge(Cosignatures.layer)
)

/** Says at the start of a service what it means that nobody cosigns its log. A replay has no witness: nothing it signs is true. */
export const warning = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Witnesses
    const { simulated } = yield* LogKey
    if (all.length === 0 && !simulated)
      yield* Effect.logWarning(
        "no witness cosigns the log: a copy of this service that runs elsewhere would sign another history, and nobody would see it before somebody compares both; name witnesses in WITNESSES (runtime/deploy/README.md)"
      )
  })
)
