/** The pages that the `type` of each problem names: what it means, and what to do about it. For ever at one address. */
import { creditProblemPages } from "./creditProblems.ts"
import { escape, type ProblemPage } from "./page.ts"
import { x402ProblemPages } from "./x402Problems.ts"

/** By the last part of the problem's `type`. A family adds its own in the file where its problems are declared. */
export const problemPages: Readonly<Record<string, ProblemPage>> = {
  "bad-parameter": {
    status: 400,
    title: "A parameter is not valid",
    meaning:
      "A parameter of the query, the path or the body is unknown, given twice, missing, or outside of what is valid. Nothing was done.",
    remedy: "`field` names it; `valid_values` or `valid` says what would have been accepted."
  },
  "bad-request": {
    status: 400,
    title: "The request cannot be read",
    meaning:
      "The address or the body is not well-formed, for example a percent sequence that is not UTF-8, or `Host` is missing " +
      "or sent twice. With status 408 the request did not arrive in time, with 431 its headers are too large.",
    remedy: "Encode the address and the body as the documentation shows, and send them again."
  },
  "unknown-symbol": {
    status: 404,
    title: "No such network",
    meaning:
      "No network has this symbol or name, in whatever case. Subnets are `SN0` to `SN128`, without leading zeros.",
    remedy:
      "`did_you_mean` lists the symbols that come near. Look the symbol up at /v1/networks. A known network that is not measured answers 200 with no data."
  },
  "not-found": {
    status: 404,
    title: "Nothing here",
    meaning: "The service has nothing at this address. Addresses are exact in case and in slashes.",
    remedy: "The documentation at /docs lists every address."
  },
  "method-not-allowed": {
    status: 405,
    title: "This path has other methods",
    meaning: "The path exists, but not with this method.",
    remedy:
      "The header `Allow` and `valid_values` name its methods; `hint` shows a call that works, with the shape of the body."
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    meaning: "Bodies have at most 64 KiB.",
    remedy: "Send less."
  },
  "address-too-long": {
    status: 414,
    title: "The address is too long",
    meaning: "An address, with its query, has at most 2,048 characters.",
    remedy: "No valid call is longer; check what was put into it."
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body has another media type",
    meaning: "The path takes another media type, or no content coding.",
    remedy: "`valid_values` names what it takes, mostly `application/json`."
  },
  "too-many-requests": {
    status: 429,
    title: "The limit is used up",
    meaning:
      "The originating network, or the key, has used up its limit for now. Registering and paying have limits of their own.",
    remedy:
      "Wait as long as `Retry-After` says. The headers `RateLimit` and `RateLimit-Policy` show the limits."
  },
  "internal-error": {
    status: 500,
    title: "The service failed",
    meaning:
      "Something happened that nobody foresaw, and it has been logged. What was charged is delivered: the same " +
      "`Idempotency-Key`, or the same payment per request, gets an answer that was lost and is never charged twice.",
    remedy:
      "Try again; look at /v1/credits/purchases before you send a purchase again that had no `Idempotency-Key`. If it " +
      "stays, tell the operator the time and the address."
  },
  "not-ready": {
    status: 503,
    title: "This process cannot answer now",
    meaning:
      "`/readyz` found that this process should get no requests: its database does not answer, or it has not read what " +
      "other processes of the service wrote.",
    remedy:
      "`reasons` says which. A load balancer sends requests to another process until `/readyz` answers 200 again."
  },
  unavailable: {
    status: 503,
    title: "Not available",
    meaning:
      "What was asked for is not set up on this service, or its database does not answer at the moment. What was " +
      "charged is delivered: the same `Idempotency-Key`, or the same payment per request, gets an answer that was lost and " +
      "is never charged twice.",
    remedy:
      "`message` says what is missing. With `Retry-After` send the same request again after that time; look at " +
      "/v1/credits/purchases before you send a purchase again that had no `Idempotency-Key`."
  },
  ...creditProblemPages,
  ...x402ProblemPages
}

const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

/** HTML of the body of one problem's page. */
export const problemBody = (id: string, { meaning, remedy, status, title }: ProblemPage): string => `
<h1>${escape(title)}</h1>
<p><code>/problems/${escape(id)}</code>, status ${status}</p>
<h2>What it means</h2><p>${prose(meaning)}</p>
<h2>What to do</h2><p>${prose(remedy)}</p>
<p><a href="/docs#errors">Errors of this service</a></p>`
