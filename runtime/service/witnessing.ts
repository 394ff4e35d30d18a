/** The witnesses in the settings, and the cosignatures that they give. */
import { Context, Effect, Layer, Option, Stream, SubscriptionRef } from "effect"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { RequiredQuorum } from "../../core/log/heads.ts"
import { LogKey } from "../../core/log/Log.ts"
import { type MirrorHost, MirrorHosts } from "../../core/log/Mirrors.ts"
import { type Witness, Witnesses } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { inBackground } from "../../core/process/loop.ts"
import { cosignatureType } from "../../core/proof/cosignature.ts"
import { noQuorum, type PolicyWitness, quorumOf } from "../../core/proof/policy.ts"
import { onDuty } from "../cluster/Duties.ts"
import { mirrorHostAt } from "../outside/mirrorHosts.ts"
import { SimulatedSeats } from "../outside/simulatedSeats.ts"
import * as Http from "../outside/witnesses.ts"
import { liveOf, Settings, SettingsError } from "../settings/Settings.ts"
import { refuseWitnesses, witnessPolicyOf } from "../settings/witnessPolicy.ts"
import { Readiness } from "./Readiness.ts"

/** A policy, and the text that it was read from. */
export interface Policy extends Http.WitnessSet {
  readonly text: string
  /** No head is served that lacks the quorum's cosignatures. */
  readonly isRequired: boolean
}

const nobody: Policy = { text: "", all: [], quorum: noQuorum, isRequired: false }

/** The witness that a replay plays itself, if it does. */
const simulated = Effect.map(
  SimulatedSeats,
  (seats): Policy =>
    seats === undefined
      ? nobody
      : { ...nobody, all: [seats.witness.named], quorum: quorumOf([seats.witness.named.key], 1) }
)

const policyOf = Effect.fnUntraced(function* (setting: string) {
  const { witnesses, ...policy } = yield* witnessPolicyOf(setting)
  return { ...policy, all: yield* Effect.forEach(witnesses, reachable) } satisfies Policy
})

/** A policy's names and addresses are octets; people write them in UTF-8. */
const inUtf8 = (octets: string): string => Buffer.from(octets, "latin1").toString("utf8")

const reachable = ({ key, url, ...line }: PolicyWitness): Effect.Effect<Witness, SettingsError> => {
  const name = inUtf8(line.name)
  if (key.type !== cosignatureType) {
    return Effect.fail(
      refuseWitnesses(
        `witness ${name} has an ML-DSA key; only Ed25519 cosignatures (type 0x04) are supported`
      )
    )
  }
  const parsed = URL.parse(inUtf8(url ?? ""))
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.search + parsed.hash !== "") {
    return Effect.fail(
      refuseWitnesses(
        `witness ${name} needs its address at the end of the line, e.g. https://witness.example.org`
      )
    )
  }
  return Effect.succeed({ name, key, url: parsed.href.replace(/\/+$/, "") })
}

const mirrorHostOf = (text: string): Effect.Effect<MirrorHost, SettingsError> => {
  const url = URL.parse(text)
  return url === null || !/^https?:$/.test(url.protocol) || url.search + url.hash !== ""
    ? Effect.fail(
        new SettingsError({
          message: `LOG_MIRRORS: "${text}" must be the URL of a host, e.g. https://mirror.example.org`
        })
      )
    : Effect.succeed(mirrorHostAt(url.host, url.href.replace(/\/+$/, "")))
}

/** The witnesses of the moment, and how they are read again. A replay asks none: nothing that it signs is true. */
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
          mode === "replay"
            ? simulated
            : Option.isNone(setting)
              ? Effect.succeed(nobody)
              : policyOf(setting.value)
        const first = yield* read(liveOf(yield* Settings).witnesses)
        return WitnessPolicy.of({ current: yield* SubscriptionRef.make(first), read })
      })
    )
}

const witnesses = Layer.unwrap(
  Effect.gen(function* () {
    const { current } = yield* WitnessPolicy
    const seats = yield* SimulatedSeats
    const policy = () => SubscriptionRef.getUnsafe(current)
    return seats === undefined
      ? Http.layer(policy)
      : Layer.succeed(Witnesses, Witnesses.of({ ...seats.witness, ...policy() }))
  })
)

/** What the policy of the moment requires of a head before it is served. */
const requiredQuorum = Layer.effect(
  RequiredQuorum,
  Effect.map(WitnessPolicy, ({ current }) => () => {
    const { isRequired, quorum } = SubscriptionRef.getUnsafe(current)
    return isRequired ? quorum : undefined
  })
)

const mirrorHosts = (mode: "live" | "mapped" | "replay") =>
  Layer.effect(
    MirrorHosts,
    Effect.gen(function* () {
      const { logMirrors } = yield* Settings
      return mode === "replay" ? [] : yield* Effect.forEach(logMirrors, mirrorHostOf)
    })
  )

/**
 * The witnesses, the heads that they and the mirrors hold, and the quorum without which no head is served, if one is required. A
 * replay has those that it plays itself: nothing that it signs is true.
 */
export const heads = (mode: "live" | "mapped" | "replay") =>
  WitnessHeads.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(witnesses, requiredQuorum, mirrorHosts(mode))),
    Layer.provideMerge(WitnessPolicy.layer(mode))
  )

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
    const { past } = yield* Readiness
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
      yield* onDuty(`cosigning by witness ${name}`, every, Effect.andThen(past, offer(name)))
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
