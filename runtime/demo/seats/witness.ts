/** The demo's witness: the one that `plumbline witness` runs, without a folder. After a restart it holds nothing, and begins again. */
import { Effect } from "effect"
import { LogKey } from "../../../core/log/Log.ts"
import { WitnessTrouble } from "../../../core/log/Witnesses.ts"
import { sha256 } from "../../../core/process/sha256.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { verifierOf } from "../../../core/proof/checkpoint.ts"
import { cosignerOf } from "../../../core/proof/cosignature.ts"
import type { SimulatedSeats } from "../../outside/simulatedSeats.ts"
import type { CosignedCheckpoint, Store } from "../../witness/Store.ts"
import { witnessOver } from "../../witness/Witness.ts"
import { party } from "./parties.ts"

export const witness = Effect.gen(function* () {
  const { keys, origin } = yield* LogKey
  const { name, publicKey, sign } = yield* party("witness")
  const cosigned = new Map<string, CosignedCheckpoint>()
  const store: Store = {
    cosigner: cosignerOf(name, publicKey),
    // Both keys of the log during its rotation, which comes while this runs.
    get logs() {
      const own = keys().filter(({ purpose }) => purpose === "log")
      return new Map([[origin, own.map((key) => verifierOf(origin, key.publicKey))]])
    },
    cosigned: () => cosigned,
    sign,
    keep: (checkpoint) => Effect.sync(() => void cosigned.set(checkpoint.origin, checkpoint))
  }
  const { add, latest } = yield* witnessOver(store)
  const seat: SimulatedSeats["witness"] = {
    named: { name, key: store.cosigner, url: `https://${name}` },
    offer: (_, body) =>
      add(utf8(body)).pipe(
        Effect.map((lines) => ({ lines })),
        Effect.catchTag("OtherSize", ({ size }) => Effect.succeed({ holds: size })),
        Effect.catchTag(["Refused", "StateUnwritten"], ({ message }) =>
          Effect.fail(new WitnessTrouble({ message }))
        )
      ),
    latest: (_, log) => Effect.option(latest(toHex(sha256(utf8(log)))))
  }
  return seat
})
