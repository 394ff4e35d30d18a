/** The files that pages load: style, fonts and scripts, under names that change with their content. */
import { readFile } from "node:fs/promises"
import { Context, Effect, Layer } from "effect"
import { Painter } from "../charts/Painter.ts"
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

/** The address of what was made of a file. */
export const addressIn = (addresses: Readonly<Record<string, string>>, source: string): string =>
  addresses[source] ?? `${folder}/${source}`

export class Assets extends Context.Service<
  Assets,
  {
    readonly find: (name: string) => Asset | undefined
    /** The address of what was made of a file, such as `styles/main.css` or `client/networks.ts`. */
    readonly address: (source: string) => string
    /** The addresses of all files, for `addressIn`. */
    readonly addresses: Readonly<Record<string, string>>
    readonly icon: Asset
    /** The icon for clients that ask for no other: a PNG in the old format. */
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
      const addresses = Object.fromEntries(
        Object.entries(names).map(([source, name]) => [source, `${folder}/${name}`])
      )
      const { png } = yield* Painter
      return Assets.of({
        find: (name) => byName.get(name),
        addresses,
        address: (source) => addressIn(addresses, source),
        icon: { contentType: "image/svg+xml", bytes: icon },
        favicon: Effect.map(png({ svg: icon.toString("utf8"), width: 32 }), (picture) => ({
          contentType: "image/x-icon",
          bytes: icoOf(picture)
        }))
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
