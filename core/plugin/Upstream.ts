/**
 * `Upstream` is the only way from a collector to the outside. The port itself is one function, `exchange`, and
 * three facts of the run; everything a plugin calls (`json`, `text`, `bytes`, `rpc`, `pages`, `listen`) is built on it
 * in `upstream/`, so that live, recording and replay cannot differ in how an answer is read.
 */
export { unexpected } from "./Unreadable.ts"
export { type Answer, bytes, implausible, refused, statedBy, text } from "./upstream/answers.ts"
export {
  notRecorded,
  UpstreamChanged,
  type UpstreamError,
  UpstreamRefused,
  UpstreamUnreachable
} from "./upstream/errors.ts"
export { decode, json, parseJson } from "./upstream/json.ts"
export { listen, pages, parts } from "./upstream/lists.ts"
export {
  type Exchange,
  filled,
  now,
  setting,
  storedHeaders,
  Target,
  targets,
  targetsOn,
  Upstream
} from "./upstream/port.ts"
export {
  addressOf,
  asBrowser,
  nameOf,
  post,
  type Request,
  type RequestOrUrl,
  withBody
} from "./upstream/requests.ts"
export { type Call, call, rpc, rpcEach, rpcRequest } from "./upstream/rpc.ts"
export { maybe, TimeText, time, unreadable, zeroIsBroken } from "./upstream/values.ts"
