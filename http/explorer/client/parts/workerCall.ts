/** Asks the verifier, which works in a worker. A browser that cannot start one runs it in the page, which only waits longer. */
import type { Reply, Work } from "../worker.ts"
import { errorOf } from "./failure.ts"
import { startWorker } from "./trusted.ts"

type Input<Name extends keyof Work> = Parameters<Work[Name]>[0]
type Result<Name extends keyof Work> = Awaited<ReturnType<Work[Name]>>

type Answer = <Name extends keyof Work>(call: {
  readonly name: Name
  readonly input: Input<Name>
}) => Promise<Reply<Result<Name>>>

const address = document.querySelector<HTMLElement>("script[data-worker]")?.dataset["worker"] ?? ""

const inWorker = (): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const worker = startWorker(address)
    worker.addEventListener("error", reject)
    worker.addEventListener("message", () =>
      resolve(
        (call) =>
          new Promise((reply) => {
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = ({ data }) => {
              port1.close()
              reply(data)
            }
            worker.postMessage(call, [port2])
          })
      )
    )
  })

const inPage = async (): Promise<Answer> => {
  const { answer }: { readonly answer: Answer } = await import(address)
  return answer
}

let started: Promise<Answer> | undefined

/** Throws `Malformed` with the reason if what was asked for cannot be read or had. */
export const ask = async <Name extends keyof Work>(name: Name, input: Input<Name>): Promise<Result<Name>> => {
  started ??= inWorker().catch(inPage)
  try {
    await started
  } catch (error) {
    // The next one retries.
    started = undefined
    throw error
  }
  const reply = await (await started)({ name, input })
  if ("failure" in reply) throw errorOf(reply.failure)
  return reply.value
}
