/** The files that pages load: style, fonts and scripts, under names that change with their content. */
import { readFile } from "node:fs/promises"
import { Context, Effect, Layer } from "effect"
import { png } from "../charts/png.ts"
import { scriptHeaders } from "../html/policy.ts"
import { assetsBuilt, folder } from "./build.ts"

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  woff2: "font/woff2"
}

export interface Asset {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export class Assets extends Context.Service<
  Assets,
  {
    readonly find: (name: string) => Asset | undefined
    /** The address of what was made of a file, such as `styles/main.css` or `client/home.ts`. */
    readonly address: (source: string) => string
    readonly icon: Asset
    /** The icon for clients that ask for no other: a PNG in the old format, drawn for the first of them. */
    readonly favicon: Effect.Effect<Asset>
  }
>()("http/explorer/Assets") {
  static readonly layer = Layer.effect(
    Assets,
    Effect.gen(function* () {
      // biome-ignore lint/plugin/promise: without its files a service cannot start, and the defect says which is missing
      const { files, names } = yield* Effect.promise(assetsBuilt)
      // biome-ignore lint/plugin/promise: as above
      const icon = yield* Effect.promise(() => readFile(new URL("icon.svg", import.meta.url)))
      const byName = new Map(
        files.map(({ bytes, name }): readonly [string, Asset] => {
          const ending = name.split(".").at(-1) ?? ""
          return [
            name,
            {
              bytes,
              contentType: types[ending] ?? "application/octet-stream",
              ...(ending === "js" ? { headers: scriptHeaders } : {})
            }
          ]
        })
      )
      return Assets.of({
        find: (name) => byName.get(name),
        address: (source) => `${folder}/${names[source] ?? source}`,
        icon: { contentType: "image/svg+xml", bytes: icon },
        favicon: yield* Effect.cached(
          Effect.sync(() => ({
            contentType: "image/x-icon",
            bytes: icoOf(png(icon.toString("utf8"), 32))
          }))
        )
      })
    })
  )
}

/** One picture of 32 by 32 pixels: a directory of one entry, and the PNG. */
const icoOf = (picture: Uint8Array): Uint8Array => {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(32, 6)
  head.writeUInt8(32, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(picture.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, picture])
}
