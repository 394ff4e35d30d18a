import { resolve } from "node:path"
import { Config, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PublicAddress } from "../../core/log/record/attest.ts"
import { checkPlace, publish as fill, type Published } from "../../core/log/record/publish/publish.ts"
import { program } from "../../core/process/program.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"
import { NotPassed, UsageError } from "../cli/usage.ts"
import * as ObjectStore from "../outside/objectStore.ts"
import { bucketPlace, folderPlace } from "../outside/publishPlace.ts"
import { bucketConfig, bucketOf } from "../settings/bucket.ts"
import { Settings } from "../settings/Settings.ts"

/** Faults that are printed; `--json` has all. */
const mostPrinted = 20

const placeAt = Effect.fnUntraced(function* (where: string) {
  if (!where.startsWith("s3://")) return folderPlace(where)
  const bucket = yield* bucketOf("log publish", Option.some(where), yield* Config.all(bucketConfig)).pipe(
    Effect.mapError((message) => new UsageError({ message }))
  )
  return bucketPlace(where, yield* ObjectStore.make(Option.getOrThrow(bucket)))
})

const report = Effect.fnUntraced(function* (done: Published, where: string, json: boolean) {
  const { faults, gone, present, size, written } = done
  if (json) yield* Console.log(JSON.stringify(done))
  else {
    for (const { fault, path } of faults.slice(0, mostPrinted)) yield* Console.log(`${path}: ${fault}`)
    if (faults.length > mostPrinted) yield* Console.log(`and ${faults.length - mostPrinted} more`)
    yield* Console.log(
      `${where}: ${size === undefined ? "no head yet" : `head of ${size} entries`}; ${written} files written, ${present} were there, ${gone} no longer kept by the service, ${faults.length} missing or damaged`
    )
  }
  if (faults.length > 0) return yield* new NotPassed({ code: 1 })
})

/** `plumbline log publish`. */
export const publish = Command.make(
  "publish",
  {
    place: Argument.String("place").pipe(
      Argument.withDescription(
        "Folder that a web server serves, or s3://bucket/folder with the AWS_ settings of the buckets of the service"
      )
    ),
    check: Flag.Boolean("check").pipe(
      Flag.withDescription("Change nothing: say what is missing or damaged there, by its hash"),
      Flag.withDefault(false)
    ),
    repair: Flag.Boolean("repair").pipe(
      Flag.withDescription("Compare every file, and write those again that are missing or damaged"),
      Flag.withDefault(false)
    ),
    location: Flag.String("location").pipe(
      Flag.withDescription(
        "Address of the place for readers of the archive's Iceberg table, such as s3://bucket/folder; without it the table names the files of the service. With another one than before, add --repair"
      ),
      Flag.optional
    ),
    json: asJson
  },
  Effect.fnUntraced(function* ({ check, json, location, place, repair }) {
    const { base } = yield* Settings
    const where = place.startsWith("s3://") ? place : resolve(place)
    if (check && repair)
      return yield* new UsageError({ message: "--check changes nothing; give either it or --repair" })
    const address = Option.getOrElse(location, () => base).replace(/\/+$/, "")
    const say = (line: string) => (json ? Effect.void : Console.log(line))
    yield* operate(
      Effect.gen(function* () {
        const target = yield* placeAt(where)
        if (check) return yield* report(yield* checkPlace(target, say), where, json)
        const damaged = repair ? (yield* checkPlace(target, say)).faults : []
        const again = new Set(damaged.map(({ path }) => path))
        return yield* report(yield* fill(target, say, again), where, json)
      }).pipe(Effect.provideService(PublicAddress, address)),
      [
        ...["log", "publish", where],
        ...(check ? ["--check"] : []),
        ...(repair ? ["--repair"] : []),
        "--location",
        address,
        ...(json ? ["--json"] : [])
      ]
    )
  }, Effect.provide(Settings.layer))
).pipe(
  Command.withDescription(
    `Write the public files of the log into a folder or a bucket, under the paths of the service: checkpoints, tiles, entries, leaves, documents, the archive's days and their Iceberg table, those that it lacks, the newest checkpoint last. Any static host or CDN can serve the place, and \`${program} verify monitor\` and \`${program} log mirror\` read it like the service. Exits with 1 if something is missing or damaged`
  ),
  Command.withShortDescription("Fill a place behind a CDN with the files of the log")
)
