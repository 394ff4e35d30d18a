/** Whether the log of a service extends a checkpoint that was kept: fetches the newest one and the tiles between them. */
import { fromUtf8 } from "./bytes.ts"
import type { Check } from "./check.ts"
import { parseCheckpointText, parseNote } from "./checkpoint.ts"
import { fetchKeys, fetchOk, type Get, logPath } from "./fetched.ts"
import { tilePath } from "./tiles.ts"
import type { Trust } from "./trust.ts"
import { consistencyOfTiles, consistencyTiles, verifyLog } from "./verifyLog.ts"

/** Fetches the latest checkpoint and the necessary tiles, and checks that the log extends the kept checkpoint. */
export const verifyGrowth = async (
  get: Get,
  base: string,
  earlier: string,
  options: Trust & { readonly notBefore?: string; readonly keys?: unknown }
): Promise<{ readonly current: string; readonly checks: ReadonlyArray<Check> }> => {
  const keys = options.keys ?? (await fetchKeys(get, base))
  const current = fromUtf8((await fetchOk(get, `${base}${logPath}/checkpoint`)).body)
  const [before, now] = [earlier, current].map((note) => parseCheckpointText(parseNote(note).text).size)
  const tiles = new Map<string, Uint8Array>()
  for (const tile of consistencyTiles(before ?? 0, now ?? 0)) {
    const path = tilePath(tile)
    tiles.set(path, (await fetchOk(get, `${base}${logPath}/${path}`)).body)
  }
  const path = consistencyOfTiles(before ?? 0, now ?? 0, tiles)
  const { keys: _, notBefore, ...trust } = options
  return {
    current,
    checks: verifyLog({
      kept: earlier,
      current,
      keys,
      path,
      trust,
      ...(notBefore === undefined ? {} : { notBefore })
    })
  }
}
