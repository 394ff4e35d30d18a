/** The heads of the log: the one that is signed, and the one that answers may name. */
import { Context } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { noteKeyText } from "../proof/checkpoint.ts"
import { buildTree, hashLength, type Tree } from "../proof/merkle.ts"
import { isMet, type Quorum } from "../proof/policy.ts"
import { sha256 } from "./leaves.ts"

export interface Head {
  readonly size: number
  /** Lower-case hex. */
  readonly root: string
  /** The signed note, or null while there is none. */
  readonly note: string | null
  readonly tree: Tree
}

/** The newest head that the log signed. It is for those who sign, stamp and cosign; no answer may name it. */
export interface SignedHead extends Head {
  readonly state: "signed"
}

/**
 * The newest head that answers may name. It is the signed one, unless the operator requires cosignatures: then it is the newest
 * that has them, and what came later is not in the log yet, as far as anybody outside is told.
 */
export interface ServedHead extends Head {
  readonly state: "served"
}

/**
 * The witnesses without whose cosignatures no head is served, as the operator's policy of the moment says; undefined where none is
 * required.
 */
export const RequiredQuorum = Context.Reference<() => Quorum | undefined>("core/log/heads/RequiredQuorum", {
  defaultValue: () => () => undefined
})

/** True in SQL if enough witnesses cosigned the head of this size. */
export const cosignedBy = (
  sql: SqlClient.SqlClient,
  quorum: Quorum,
  size: Statement.Fragment
): Statement.Fragment => {
  if ("witness" in quorum) {
    const name = noteKeyText(quorum.witness)
    return sql`exists (select 1 from cosignature w where w.size = ${size} and w.witness = ${name})`
  }
  const met = quorum.members
    .map((member) => sql`(${cosignedBy(sql, member, size)})::int`)
    .reduce((sum, one) => sql`${sum} + ${one}`, sql`0`)
  return sql`${met} >= ${quorum.least}::int`
}

/** True if heads without any cosignature meet it. */
export const needsNoWitness = (quorum: Quorum): boolean => isMet(quorum, () => false)

/** The tree as it was at an earlier size. */
export const treeAt = (tree: Tree, size: number): Tree =>
  size === tree.size
    ? tree
    : buildTree((tree.levels[0] ?? new Uint8Array()).subarray(0, size * hashLength), sha256)
