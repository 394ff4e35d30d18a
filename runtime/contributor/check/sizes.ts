/** How large a case may be. All of them are in every clone, and every test of a plugin replays them. */
import { program } from "../../../core/process/program.ts"
import { type Finding, note, wrong } from "./Finding.ts"
import type { SourceFile } from "./source.ts"

const [large, tooLarge] = [256 * 1024, 1024 * 1024]

/** Cases that are larger than a new one may be, each with why a shorter one would not show the same. */
const mayBeLarge: Readonly<Record<string, string>> = {
  "coingecko/ok": "every network of the catalog, and what the demo draws its market from",
  "coingecko/measured-zero": "the same market; its edits are as long as a whole recording",
  "coingecko/missing-field": "the same market; its edits are as long as a whole recording",
  "ohlcv-hourly/ok": "the candles of every network with a market, which the demo continues",
  "ohlcv-daily/ok": "the candles of every network with a market, which the demo continues",
  "celestrak/ok": "the upstream's whole catalog of active satellites, which the count is of"
}

const caseOf = (file: string): string => file.split(".")[0] ?? file

/** Files that describe a case to other tools and hold no answers. */
const isBeside = (file: string): boolean => /^[^.]+\.(tape|meant)\.json$/.test(file)

const inKib = (characters: number): string => `${Math.ceil(characters / 1024).toLocaleString("en-US")} KiB`

/** Cases of a plugin whose files are large together. */
export const sizeFindings = (id: string, files: ReadonlyArray<SourceFile>): ReadonlyArray<Finding> =>
  [
    ...Map.groupBy(
      files.filter(({ name }) => !isBeside(name)),
      ({ name }) => caseOf(name)
    )
  ].flatMap(([name, parts]) => {
    const size = parts.reduce((all, { text }) => all + Buffer.byteLength(text), 0)
    const isAllowed = size <= tooLarge || Object.hasOwn(mayBeLarge, `${id}/${name}`)
    if (size <= large) return []
    return [
      (isAllowed ? note : wrong)(
        `fixtures/${name}`,
        `it has ${inKib(size)}, ${isAllowed ? `and above ${inKib(large)} a case is large` : `but at most ${inKib(tooLarge)} may be committed`}`,
        `record fewer symbols with --targets; or save the answer, cut its lists to a few entries of each kind, and record that: ` +
          `${program} record ${id} --case ${name} --from <url>=<file> --note "cut from …"`
      )
    ]
  })
