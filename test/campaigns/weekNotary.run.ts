/** The process of a week's notary, which trusts the authority of the tests: `<folder> <port> <file of roots>`. */
import { readFileSync } from "node:fs"
import { Console, Effect, Layer } from "effect"
import { Exceptions } from "../../runtime/notary/Exceptions.ts"
import { layer } from "../../runtime/notary/server.ts"

const [folder = "", port = "", roots = ""] = process.argv.slice(2)

const exceptions = Layer.effect(
  Exceptions,
  Effect.map(Exceptions, (usual) => ({ ...usual, roots: [readFileSync(roots, "utf8")] }))
)

await Effect.runPromise(
  Layer.launch(
    Layer.effectDiscard(Console.log("the notary serves")).pipe(
      Layer.provide(layer(folder, { host: "127.0.0.1", port: Number(port) })),
      Layer.provide(exceptions)
    )
  )
)
