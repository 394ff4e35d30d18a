/** What is needed to watch the log of the service under test, with the monitor's own code. */
import { Effect } from "effect"
import type { Get } from "../../core/proof/fetched.ts"
import { type Look, type Looking, look } from "../../http/client/verifier/src/monitor/look.ts"
import { patient, served } from "../../http/client/verifier/src/monitor/source.ts"
import type { State } from "../../http/client/verifier/src/monitor/state.ts"
import { baseUrl, Service } from "./service.ts"
import { header } from "./signed.ts"

/** A client whose requests for the public address go to the local port; `paths` lists them. */
export const client = Effect.gen(function* () {
  const service = yield* Service
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const paths: Array<string> = []
  const get: Get = async (url) => {
    const path = url.slice(baseUrl.length)
    paths.push(path)
    const reply = await run(service.call(path))
    const headers = Object.keys(reply.headers).map((name) => [name, header(reply, name) ?? ""])
    return { status: reply.status, headers: Object.fromEntries(headers), body: reply.body }
  }
  return { get: patient(get, { wait: () => Promise.resolve() }), paths }
})

/** Looks once, at the service as an outsider sees it. */
export const monitorOnce = Effect.fnUntraced(function* (
  now: number,
  lastState?: State,
  over: Partial<Looking> = {}
) {
  const { get, paths } = yield* client
  const states: Array<State> = []
  const looking: Looking = {
    trust: {},
    source: served(get, baseUrl),
    service: { get, base: baseUrl },
    now: () => now,
    random: (n) => Math.floor(Math.random() * n),
    say: () => undefined,
    checked: async (state) => {
      states.push(state)
    },
    ...over
  }
  const result: Look = yield* Effect.promise(() => look(looking, lastState))
  return { ...result, paths, states }
})
