/** The witnesses in the settings, and the cosignatures that they give. */
import { Effect, Layer, Option } from "effect"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { RequiredQuorum } from "../../core/log/heads.ts"
import { LogKey } from "../../core/log/Log.ts"
import { type MirrorHost, MirrorHosts } from "../../core/log/Mirrors.ts"
import { type Witness, Witnesses } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { inBackground } from "../../core/process/loop.ts"
import { cosignatureType } from "../../core/proof/cosignature.ts"
import { noQuorum, type PolicyWitness } from "../../core/proof/policy.ts"
import { onDuty } from "../cluster/Duties.ts"
import { mirrorHostAt } from "../outside/mirrorHosts.ts"
import * as Http from "../outside/witnesses.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import { refuseWitnesses, witnessPolicyOf } from "../settings/witnessPolicy.ts"

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

/**
 * The witnesses, the heads that they and the mirrors hold, and the quorum without which no head is served, if one is required. A replay has none:
 * nothing that it signs is true.
 */
export const heads = (mode: "live" | "mapped" | "replay") =>
  WitnessHeads.layer.pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.gen(function* () {
          const { logMirrors, witnesses } = yield* Settings
          if (mode === "replay") return Http.layer([], noQuorum)
          const mirrors = Layer.succeed(MirrorHosts, yield* Effect.forEach(logMirrors, mirrorHostOf))
          if (Option.isNone(witnesses)) return Layer.merge(mirrors, Http.layer([], noQuorum))
          const { isRequired, quorum, ...policy } = yield* witnessPolicyOf(witnesses.value)
          const all = yield* Effect.forEach(policy.witnesses, reachable)
          return Layer.mergeAll(
            mirrors,
            Http.layer(all, quorum),
            Layer.succeed(RequiredQuorum, isRequired ? quorum : undefined)
          )
        })
      )
    )
  )

/** How often each witness is looked after. A round without a new head costs a query. */
const every = "15 seconds"

/**
 * Offers heads to each witness on its own: none waits for another, and the log waits for none. One process does it, and
 * all know how the witnesses fare.
 */
export const offering = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Witnesses
    const { hear, offer } = yield* Cosignatures
    if (all.length > 0) yield* inBackground("hearing how the witnesses fare", every, hear)
    for (const witness of all) yield* onDuty(`cosigning by witness ${witness.name}`, every, offer(witness))
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
