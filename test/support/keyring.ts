/** Key files of a process, and the keyring over them. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Option } from "effect"
import { LogKey } from "../../core/log/Log.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { Signer } from "../../http/signing/Signer.ts"
import { Keyring, type KeyringOptions, layer } from "../../runtime/service/Keyring.ts"
import { keyFilesOf } from "../../runtime/service/keyFiles.ts"
import { trustedClock } from "./trustedClock.ts"

export const origin = "plumbline.test/log"

export const newFolder = (): string => mkdtempSync(join(tmpdir(), "plumbline-keys-"))

/** The files that the embedded engine makes by itself in a folder; those of an operator if `ofOperator`. */
export const filesIn = (folder: string, ofOperator = false) => {
  const name = (file: string) => (ofOperator ? Option.some(join(folder, file)) : Option.none())
  return keyFilesOf({
    dataDir: folder,
    signingKeyFile: name("signing-key.pem"),
    logKeyFile: name("log-key.pem")
  })
}

/** The keys of one process with a clock, until the scope closes. */
export const keysOf = (files: KeyringOptions["files"], notice = 0, clock = trustedClock) => {
  const keyringLayer = layer({ files, origin, simulated: false, notice }).pipe(
    Layer.provideMerge(Layer.succeed(TrustedClock, clock))
  )
  return Effect.map(Layer.build(Layer.fresh(keyringLayer)), (context) => ({
    context,
    keyring: Context.get(context, Keyring),
    log: Context.get(context, LogKey),
    signer: Context.get(context, Signer)
  }))
}
