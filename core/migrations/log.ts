/** Tables of this room: what was published, and its proofs. Nothing here is ever updated but for what is said. */
import { statements } from "./statements.ts"

export const migrations = {
  "0001_batches_and_log": statements(`
    -- closed_at is null while a close is under way; claimed_until keeps a second replica out of it.
    create table batch (
      id integer generated always as identity primary key,
      day date not null unique,
      cut_off timestamptz(3) not null,
      claimed_by text not null,
      claimed_until timestamptz(3) not null,
      closed_at timestamptz(3),
      late boolean,
      root text,
      tree_size integer,
      n_readings integer,
      n_late integer,
      n_revisions integer,
      n_absent integer,
      absent text,
      log_index integer
    );

    -- place: among the batch's leaves, in their order. Null only while the leaves of a day are ordered again.
    create table leaf (
      batch integer not null references batch,
      place integer,
      series integer,
      day date not null,
      incident integer not null,
      version integer not null,
      text text not null,
      hash bytea not null
    );
    create unique index leaf_of_row on leaf (series, day, incident, version) where series is not null;
    create unique index leaf_place on leaf (batch, place);

    create table tree_level (
      batch integer not null references batch,
      level integer not null,
      hashes bytea not null,
      primary key (batch, level)
    );
    -- A proof reads 32 bytes out of a level: uncompressed, they are a seek and not a scan.
    alter table tree_level alter column hashes set storage external;

    create table log_entry (
      place integer primary key,
      text text not null,
      hash bytea not null,
      recorded_at timestamptz(3) not null
    );

    create table document (
      sha256 text primary key,
      kind text not null,
      subject text not null,
      media_type text not null,
      body text not null,
      recorded_at timestamptz(3) not null,
      unique (kind, subject)
    );

    create table checkpoint (
      size integer primary key,
      root text not null,
      note text not null,
      signed_at timestamptz(3) not null
    );

    -- One stamping of one checkpoint; a proof that a calendar lost gets another row. state, proof, block and the times
    -- of asking move as the calendars and Bitcoin do.
    create table anchor (
      id integer generated always as identity primary key,
      size integer not null references checkpoint,
      state text not null check (state in ('pending', 'confirmed', 'final', 'lost')),
      network text not null,
      digest text not null,
      proof bytea not null,
      stamped_at timestamptz(3) not null,
      asked_at timestamptz(3),
      block_height integer,
      block_hash text,
      block_header text,
      block_time timestamptz(3)
    );
    create index anchor_of_checkpoint on anchor (size, id);
    create index anchor_open on anchor (id) where state in ('pending', 'confirmed');

    create table anchor_failure (
      size integer primary key references checkpoint,
      reason text not null,
      tried_at timestamptz(3) not null
    );
  `),

  "0002_sources_of_runs": statements(`
    -- The files behind a code hash; their bytes are blobs, which are kept as long as the row.
    create table code (
      code_hash text primary key,
      plugin text not null,
      files jsonb not null,
      settings jsonb not null,
      recorded_at timestamptz(3) not null
    );
  `),

  // Openings and closings of incidents in the order they happened; n, document and log_index once they are in the log.
  // Written by triggers, so no incident is forgotten whoever opens or closes it.
  "0003_incident_events": statements(`
    create table incident_event (
      id integer generated always as identity primary key,
      incident integer not null references incident,
      event text not null check (event in ('opened', 'closed')),
      n integer unique,
      document text references document,
      log_index integer,
      unique (incident, event)
    );
    create index incident_event_unlogged on incident_event (id) where n is null;
    create function incident_changed() returns trigger language plpgsql as $$ begin
      insert into incident_event (incident, event) values (new.id, tg_argv[0]); return null; end $$;
    create trigger incident_is_opened after insert on incident
      for each row execute function incident_changed('opened');
    create trigger incident_is_closed after update of closed_at on incident for each row
      when (old.closed_at is null and new.closed_at is not null) execute function incident_changed('closed');
    insert into incident_event (incident, event)
      select id, event from (
        select opened_at as at, id, 'opened' as event from incident
        union all select closed_at, id, 'closed' from incident where closed_at is not null
      ) before order by at, event desc, id;
  `),

  "0004_signing_keys": statements(`
    -- The public half of every key that ever signed or will sign; the private halves are in files. Only not_after moves:
    -- it is null until a rotation sets it. log_index is the entry of the rotation that a log key came with.
    create table signing_key (
      kid text primary key,
      purpose text not null check (purpose in ('answers', 'log')),
      public_key bytea not null,
      announced_at timestamptz(3) not null,
      not_before timestamptz(3) not null,
      not_after timestamptz(3),
      log_index integer
    );
    create unique index signing_key_open on signing_key (purpose) where not_after is null;
  `),

  "0005_cosignatures": statements(`
    -- What witnesses said of a head. Of each witness and head the first and the last cosignature are kept: the first
    -- dates the head, the last says that nothing larger was there. line has no newline at its end.
    create table cosignature (
      size integer not null references checkpoint,
      witness text not null,
      line text not null,
      at timestamptz(3) not null,
      primary key (size, witness, at)
    );
    create index cosignature_of_witness on cosignature (witness, size);
  `),

  "0006_archive": statements(`
    -- Published Parquet files: log_index is the entry that has the hash. last_batch is the newest batch with leaves in it.
    create table archive_file (
      name text primary key,
      period text not null check (period in ('day', 'month', 'year')),
      first_day date not null,
      last_day date not null,
      last_batch integer not null,
      rows integer not null,
      bytes bigint not null,
      sha256 text not null,
      log_index integer,
      recorded_at timestamptz(3) not null
    );
    create unique index archive_file_of_period on archive_file (period, first_day);

    -- The files themselves, where no folder is shared.
    create table archive_part (
      key text not null,
      n integer not null,
      bytes bytea not null,
      primary key (key, n)
    );
    alter table archive_part alter column bytes set storage external;
  `),

  // Two processes that stamped one checkpoint left two anchors: the one that is further counts.
  "0007_one_anchor_a_checkpoint": statements(`
    update anchor a set state = 'lost' where state <> 'lost' and exists (
      select 1 from anchor b where b.size = a.size and b.state <> 'lost'
        and (array_position(array['pending', 'confirmed', 'final'], b.state), -b.id)
          > (array_position(array['pending', 'confirmed', 'final'], a.state), -a.id)
    );
    create unique index anchor_of_size on anchor (size) where state <> 'lost';

    -- Who asks the calendars about a checkpoint: it is claimed before, and released after.
    create table anchor_claim (
      size integer primary key,
      claimed_by text not null,
      claimed_until timestamptz(3) not null
    );
  `),

  // What is wrong with witnesses, as the process that offers heads to them found; a witness that follows has no row.
  "0008_witness_trouble": statements(`
    create table witness_trouble (
      witness text primary key,
      message text not null,
      since timestamptz(3) not null
    );
  `),

  // Postgres would look the batch up for each leaf. Whoever writes leaves holds the row of their batch, for all of them.
  "0009_leaves_of_a_held_batch": statements(`
    alter table leaf drop constraint leaf_batch_fkey;
  `),

  // A log whose format is no longer read, and in whose place this one is: its last head, and its rows as they were. The new
  // log begins with the day after last_day.
  "0010_earlier_logs": statements(`
    create table earlier_log (
      id integer generated always as identity primary key,
      origin text not null,
      format integer not null,
      size integer not null,
      root text not null,
      note text not null,
      last_day date,
      restarted_at timestamptz(3) not null
    );
    create table earlier_row (
      log integer not null references earlier_log,
      name text not null,
      row jsonb not null
    );
    create index earlier_row_of_table on earlier_row (log, name);
  `),

  // The documents of the service's keys that the log has; n counts them.
  "0011_key_documents": statements(`
    create table key_document (
      n integer primary key,
      document text not null,
      log_index integer not null
    );
  `),

  // The documents of runs, by hour. leaves: hash of the file of the leaves, among the bodies while it is kept; hashes: of the
  // leaves, in their order, for good. gathered: a head over documents of runs and schedules alone, which the next head dates.
  "0012_hours_of_runs": statements(`
    create table runs_hour (
      hour timestamptz(3) primary key,
      document text not null,
      leaves text not null,
      hashes bytea not null,
      log_index integer not null
    );
    alter table runs_hour alter column hashes set storage external;
    create index runs_hour_of_leaves on runs_hour (leaves);
    alter table checkpoint add column gathered boolean not null default false;
  `),

  // What other operators have of our values. observer_head: the newest head of each, by its verifier key, which the next one must
  // extend. agreement_day: the document of a day; leaves: hash of the file of its leaves, among the bodies; hashes: of the leaves,
  // in their order; in_feed: the feed of events has what differs. agreement_value: the place of a series among them, its value,
  // how many observers have one, how many of them agree, and the leaf itself where one does not.
  // agreement_observer: the observers of a day in the order of the document, and how many values of each agree and differ.
  "0013_agreement": statements(`
    create table observer_head (
      key text primary key,
      size integer not null,
      note text not null,
      observed_at timestamptz(3) not null
    );
    create table agreement_day (
      day date primary key,
      document text not null,
      leaves text not null,
      hashes bytea not null,
      log_index integer not null,
      n_observers integer not null,
      tree_size integer not null,
      n_compared integer not null,
      n_differs integer not null,
      in_feed boolean not null default false
    );
    create index agreement_day_due on agreement_day (day) where not in_feed;
    alter table agreement_day alter column hashes set storage external;
    create index agreement_day_of_leaves on agreement_day (leaves);
    create table agreement_value (
      series integer not null references series,
      day date not null references agreement_day,
      place integer not null,
      value double precision not null,
      n_observers smallint not null,
      n_agree smallint not null,
      differing text,
      primary key (series, day)
    );
    create table agreement_observer (
      day date not null references agreement_day,
      place smallint not null,
      kid text not null,
      state text not null check (state in ('read', 'silent', 'invalid')),
      n_agree integer not null,
      n_differs integer not null,
      primary key (day, place)
    );
    create index agreement_observer_newest on agreement_observer (kid, day desc);
    create index agreement_value_of_day on agreement_value (day);
    create index agreement_value_differing on agreement_value (day, series) where differing is not null;
  `),

  // What was known of the sources' terms when a file was made: it is made again with the same. Null of earlier files.
  "0014_rights_of_files": statements(`
    alter table archive_file add column rights jsonb;
  `),

  // The least and the greatest times in a file, from its footer; null until somebody has read it.
  "0015_bounds_of_files": statements(`
    alter table archive_file add column bounds jsonb;
  `),

  // The run whose row a leaf is of; null of leaves of earlier versions, of copies, and where a day has no reading left.
  "0016_runs_of_leaves": statements(`
    alter table leaf add column run text;
  `),

  // origin: hash of the document that names the runs of a batch's leaves, at origin_index in the log. owes_origin: it is to be made;
  // batches that were closed before there were such documents have none.
  "0017_origins_of_batches": statements(`
    alter table batch add column origin text;
    alter table batch add column origin_index integer;
    alter table batch add column owes_origin boolean not null default false;
    create index batch_owing_origin on batch (day) where owes_origin;
  `),

  // Runs that have left the tables `run` and `exchange`. run_file: the files, each of an hour of the log; sha256: its hash, under which
  // it is among the bodies; bytes: as it is stored. moved_run: which file has a run; the row of one that `run` has too stays there.
  // unmoved_run: why a run stays although it was due.
  "0018_files_of_runs": statements(`
    create table run_file (
      id integer generated always as identity primary key,
      hour timestamptz(3) not null,
      sha256 text not null unique,
      bytes integer not null,
      runs integer not null,
      exchanges integer not null,
      recorded_at timestamptz(3) not null
    );
    create index run_file_of_hour on run_file (hour);
    create table moved_run (
      run text primary key,
      plugin text not null,
      file integer not null
    );
    create table unmoved_run (
      run text primary key,
      reason text not null,
      since timestamptz(3) not null
    );
  `),

  // The first bytes of a leaf's hash are the short address of its value.
  "0019_leaves_by_hash": statements(`
    create index leaf_by_hash on leaf (substring(hash from 1 for 7));
  `)
}
