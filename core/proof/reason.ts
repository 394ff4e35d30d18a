/**
 * Why a check does not hold. The list is closed and part of the formats: pages name the reason of each refusal, vectors carry it,
 * and every verifier gives the same one. Where several apply, the reason is that of what is looked at first. Reading one document
 * gives `form`, whichever rule of its format it breaks, except for the hashes and signatures in it; the others are of what is compared.
 *
 * - `form`: the bytes are not of the format: JSON, members, spelling of numbers and times, order, size.
 * - `newer`: a version, kind or algorithm that this verifier does not know. Never a failure.
 * - `unavailable`: what the check needs could not be had, or does not hold itself. Never a failure.
 * - `missing`: something that the check demands is not there.
 * - `hash`: a hash, root or path does not fit the bytes it is of.
 * - `signature`: a signature does not fit, or none is by a key that counts.
 * - `key`: a key that was not given, was replaced, is not logged, or belongs to somebody who must not have it.
 * - `origin`: it is of another log, service, network, party, series or day than the one that is asked about.
 * - `time`: a time that cannot be, beside the other times.
 * - `contradiction`: two statements that must agree do not.
 * - `unasked`: not checked, since nobody asked for it or nothing depends on it.
 */
export const reasons = [
  "form",
  "newer",
  "unavailable",
  "missing",
  "hash",
  "signature",
  "key",
  "origin",
  "time",
  "contradiction",
  "unasked"
] as const

export type Reason = (typeof reasons)[number]
