/** Tables of this room: the signal ledger, and what happened that it has not taken up yet. */
import { statements } from "./statements.ts"

export const migrations = {
  "0001_signals": statements(`
    -- text is the row as it was hashed; its n and prev_hash make the rows a chain.
    create table signal (
      n integer primary key,
      hash text not null unique,
      text text not null
    );
    create function signal_stays() returns trigger language plpgsql as $$ begin
      raise exception 'the signal ledger is append-only'; end $$;
    create trigger signal_is_append_only before update or delete on signal
      for each row execute function signal_stays();

    -- Written with what happened, in its transaction; taken away with the rows of the ledger that come of it, in theirs.
    create table happened (
      id integer generated always as identity primary key,
      kind text not null,
      ref integer not null,
      was text,
      became text not null
    );
    create function it_happened() returns trigger language plpgsql as $$ begin
      insert into happened (kind, ref, became) values (tg_table_name, new.id, tg_argv[0]); return null; end $$;
    create function anchor_moved() returns trigger language plpgsql as $$ begin
      insert into happened (kind, ref, was, became) values ('anchor', new.id, old.state, new.state); return null; end $$;
    create trigger incident_opened after insert on incident for each row execute function it_happened('open');
    create trigger incident_closed after update of closed_at on incident for each row
      when (old.closed_at is null and new.closed_at is not null) execute function it_happened('closed');
    create trigger revision_made after insert on revision for each row execute function it_happened('revised');
    create trigger batch_closed after update of closed_at on batch for each row
      when (old.closed_at is null and new.closed_at is not null) execute function it_happened('closed');
    create trigger anchor_moved after update of state on anchor for each row
      when (old.state <> new.state) execute function anchor_moved();

    insert into happened (kind, ref, was, became)
      select kind, ref, was, became from (
        select opened_at as at, 'incident' as kind, id as ref, null as was, 'open' as became from incident
        union all select closed_at, 'incident', id, null, 'closed' from incident where closed_at is not null
        union all select recorded_at, 'revision', id, null, 'revised' from revision
        union all select closed_at, 'batch', id, null, 'closed' from batch where closed_at is not null
        union all select asked_at, 'anchor', id, 'pending', state from anchor where state <> 'pending'
      ) before order by at, kind, ref;
  `),

  // What the operator's language model said of a network: shown what, and when it is asked again.
  "0002_analyses": statements(`
    create table analysis (
      symbol text primary key,
      due_at timestamptz(3) not null,
      facts text,
      said text
    );
  `),

  // What readers reported as wrong, as the operator entered it, and what came of it.
  "0003_reports": statements(`
    create table report (
      id integer generated always as identity primary key,
      symbol text not null,
      metric text not null,
      day date,
      what text not null,
      received_at timestamptz(3) not null,
      outcome text not null default 'open'
        check (outcome in ('open', 'corrected', 'right_as_published', 'upstream_wrong')),
      note text,
      settled_at timestamptz(3),
      check ((outcome = 'open') = (settled_at is null) and (outcome = 'open') = (note is null))
    );
  `),

  // Unusual values of closed days, at most one of a series and day. version: the one that was judged; batch: the newest that was
  // closed by then, whose leaves and those before are all that was looked at. found: the JSON of what the rule says.
  "0004_anomalies": statements(`
    create table anomaly (
      id integer generated always as identity primary key,
      series integer not null references series,
      day date not null,
      version integer not null,
      batch integer not null,
      rule text not null,
      score double precision not null,
      found jsonb not null,
      found_at timestamptz(3) not null,
      unique (series, day)
    );
    create index anomaly_of_day on anomaly (day);
  `)
}
