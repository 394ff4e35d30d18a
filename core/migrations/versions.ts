/** Tables of what processes that share a database tell each other. */
import { statements } from "./statements.ts"

export const migrations = {
  // One row for each thing that answers depend on (`core/wire/data/dependency.ts`), written in the transaction that
  // changes it. version orders the changes of all rows; changed_at never goes back.
  "0001_versions": statements(`
    create sequence version_number;
    create table version (
      name text primary key,
      number bigint not null,
      changed_at timestamptz(3) not null
    );
    create index version_newest on version (number);
  `),

  // Figures that take long to compute: one process computes them, and all serve what is here.
  "0002_figures": statements(`
    create table figure (
      name text primary key,
      value jsonb not null,
      computed_at timestamptz(3) not null
    );
  `)
}
