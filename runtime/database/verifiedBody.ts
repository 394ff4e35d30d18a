/** Whether stored bytes are the body of a hash. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect } from "effect"

/** Bytes of the longest body that is unpacked. */
const longest = 512 * 2 ** 20

const decompress = promisify(zstdDecompress)

/** What these compressed bytes are instead of the body of that hash; undefined if they are that body. */
export const faultOfBody = (sha256: string, compressed: Uint8Array): Effect.Effect<string | undefined> =>
  Effect.tryPromise(() => decompress(compressed, { maxOutputLength: longest })).pipe(
    Effect.map((body) => createHash("sha256").update(body).digest("hex")),
    Effect.map((actual) => (actual === sha256 ? undefined : `its hash is ${actual}`)),
    Effect.orElseSucceed(() => "it is not zstd data")
  )
