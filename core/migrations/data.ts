/** Tables of this room. Times are `timestamptz(3)`: a day is a UTC day everywhere. */
import { statements } from "./statements.ts"

export const migrations = {
  "0001_collect_and_keep": statements(`
    create table fact (
      name text primary key,
      value text not null
    );

    create table run (
      id text primary key,
      plugin text not null,
      started_at timestamptz(3) not null,
      finished_at timestamptz(3) not null,
      run_now timestamptz(3) not null,
      status text not null check (status in ('ok', 'failed')),
      error_tag text,
      error_message text,
      code_hash text not null,
      targets_sha256 text not null,
      settings jsonb not null,
      n_rows integer not null,
      rows_sha256 text not null,
      refused jsonb not null,
      simulated boolean not null,
      complete boolean not null default false
    );
    create index run_of_plugin on run (plugin, id desc);
    create index run_half_written on run (id) where not complete;

    create table exchange (
      run text not null references run,
      n integer not null,
      method text not null,
      url text not null,
      request_body text,
      at timestamptz(3) not null,
      status integer not null,
      headers jsonb not null,
      sha256 text not null,
      size integer not null,
      confirmed boolean not null,
      primary key (run, n)
    );
    create index exchange_body on exchange (sha256);

    create table blob (
      sha256 text primary key,
      bytes bytea not null
    );

    create table series (
      id integer generated always as identity primary key,
      symbol text not null,
      metric text not null,
      source text not null,
      plugin text not null,
      tier text not null,
      unit text not null,
      unique (symbol, metric, source)
    );

    create table observation (
      series integer not null references series,
      as_of timestamptz(3) not null,
      version integer not null,
      value double precision not null,
      value_text text,
      recorded_at timestamptz(3) not null,
      run text not null,
      primary key (series, as_of, version)
    ) partition by range (as_of);

    create table latest (
      series integer primary key references series,
      as_of timestamptz(3) not null,
      value double precision not null,
      value_text text,
      verify_url text not null,
      recorded_at timestamptz(3) not null,
      confirmed_at timestamptz(3) not null,
      run text not null,
      simulated boolean not null
    ) with (fillfactor = 70);

    create table daily (
      series integer not null references series,
      day date not null,
      incident integer not null default 0,
      version integer not null,
      as_of timestamptz(3) not null,
      value double precision not null,
      value_text text,
      n_observations integer not null,
      verify_url text not null,
      recorded_at timestamptz(3) not null,
      simulated boolean not null,
      readings_sha256 text,
      sealed_by integer,
      primary key (series, day, incident, version)
    );
    create index daily_open on daily (day) where sealed_by is null;

    create table revision (
      id integer generated always as identity primary key,
      series integer not null references series,
      as_of timestamptz(3) not null,
      version integer not null,
      before_value double precision not null,
      before_text text,
      after_value double precision not null,
      after_text text,
      recorded_at timestamptz(3) not null,
      run text not null,
      why text not null
    );
    create index revision_of_series on revision (series, as_of);

    create table incident (
      id integer generated always as identity primary key,
      kind text not null check (kind in ('automatic', 'manual')),
      symbol text not null,
      metric text not null,
      source text,
      from_as_of timestamptz(3) not null,
      to_as_of timestamptz(3) not null,
      reason text not null,
      opened_at timestamptz(3) not null,
      closed_at timestamptz(3),
      closing_note text
    );
    create index incident_open on incident (symbol, metric) where closed_at is null;

    create table exclusion (
      series integer not null references series,
      as_of timestamptz(3) not null,
      version integer not null,
      incident integer not null references incident,
      primary key (series, as_of, version, incident)
    );
    create index exclusion_of_incident on exclusion (incident);
  `),

  "0002_count_rows_read": statements(`
    create index run_of_plugin_by_end on run (plugin, finished_at) include (n_rows) where complete and status = 'ok';
  `),

  // A run's rows count from the moment it is complete, whoever completes it: a trigger cannot be forgotten.
  "0003_rows_read": statements(`
    create table rows_read (
      plugin text primary key,
      rows bigint not null
    );
    insert into rows_read
      select plugin, sum(n_rows) from run where complete and status = 'ok' group by plugin;
    create function count_rows_read() returns trigger language plpgsql as $$ begin
      insert into rows_read as r values (new.plugin, new.n_rows)
        on conflict (plugin) do update set rows = r.rows + excluded.rows; return null; end $$;
    create trigger run_is_complete after update of complete on run
      for each row when (new.complete and not old.complete and new.status = 'ok')
      execute function count_rows_read();
  `),

  // Rows of a run of several transactions, as compressed JSON, from its first until its last.
  "0004_unfinished_runs": statements(`
    create table unfinished (
      run text primary key,
      rows bytea not null
    );
  `),

  // The address that was read, where it is another than `verify_url`; null also of rows kept before there was this column.
  "0005_read_url": statements(`
    alter table latest add column read_url text;
  `),

  // When the incident took a reading up, where that was later than its opening; null: with the opening, or with the reading.
  "0006_excluded_since": statements(`
    alter table exclusion add column since timestamptz(3);
  `),

  // The daily close reads the open rows in this order, chunk after chunk; the lists read the newest rows of some series.
  "0007_order_of_open_days": statements(`
    create index daily_unsealed on daily (series, day, incident, version) where sealed_by is null;
    drop index daily_open;
    create index revision_newest on revision (series, id);
    create index incident_newest on incident (symbol, id);
  `),

  // One table per year, so that today's rows and their indexes stay small. `partitions.ensure` makes the years to come.
  "0008_days_by_year": statements(`
    alter table daily rename to daily_before;
    alter table daily_before drop constraint daily_pkey;
    alter table daily_before drop constraint daily_series_fkey;
    drop index daily_unsealed;
    create table daily (like daily_before including defaults) partition by range (day);
    do $$ begin for year in (select least(2026, extract(year from min(day))) from daily_before)::int .. (select greatest(extract(year from now()), extract(year from max(day))) from daily_before)::int + 1 loop execute format('create table daily_%s partition of daily for values from (%L) to (%L)', year, make_date(year, 1, 1), make_date(year + 1, 1, 1)); end loop; end $$;
    insert into daily select * from daily_before;
    drop table daily_before;
    alter table daily add primary key (series, day, incident, version);
    alter table daily add foreign key (series) references series;
    create index daily_unsealed on daily (series, day, incident, version) where sealed_by is null;
  `),

  // Which process collects a feed, and how it fares. A process that owns a feed no longer has an older epoch.
  "0009_feed_owners": statements(`
    create table feed_owner (
      plugin text primary key,
      epoch integer not null,
      runner text not null,
      since timestamptz(3) not null
    );
    create table feed_state (
      plugin text primary key,
      epoch integer not null,
      state jsonb not null,
      standing jsonb not null,
      changed_at timestamptz(3) not null default clock_timestamp()
    );
    create index feed_state_changed on feed_state (changed_at);
  `),

  // Counts the removals of bodies, also those that did not end well.
  "0010_body_removals": statements(`
    create sequence body_removal;
  `),

  // The order in which the latest values changed: each gets the next number when it becomes another, or comes back. Writers
  // of `latest` hold the writer lock, so the order of the numbers is that of the commits. Null: unchanged since before
  // there were numbers. A trigger sees every writer, also one of an earlier version.
  "0011_order_of_values": statements(`
    create sequence value_number;
    alter table latest add column changed bigint;
    alter table latest alter column changed set default nextval('value_number');
    create function value_changed() returns trigger language plpgsql as $$ begin
      new.changed := nextval('value_number'); return new; end $$;
    create trigger value_is_changed before update on latest for each row
      when (old.value is distinct from new.value or old.value_text is distinct from new.value_text)
      execute function value_changed();
    create index latest_changed on latest (changed);
  `),

  // When each process worked: intervals that it extends every minute.
  "0012_uptime": statements(`
    create table uptime (
      part text not null,
      process text not null,
      up_from timestamptz(3) not null,
      up_until timestamptz(3) not null,
      primary key (part, process, up_from)
    );
    create index uptime_until on uptime (up_until);
  `),

  // A row is written with the id of a series that was read before it, and no series is ever removed: to look each up again
  // was a third of the time in which a row was written.
  "0013_rows_of_found_series": statements(`
    alter table observation drop constraint observation_series_fkey;
    alter table daily drop constraint daily_series_fkey;
  `),

  // What held readings back, the first value that was held, and whether a second run that agrees with it releases them.
  "0014_guards": statements(`
    alter table incident add column guard text;
    alter table incident add column held double precision;
    alter table incident add column released_by_run boolean not null default false;
  `),

  // Whether somebody has compared a feed with its upstream, for each code that it ran with: the newest row of a plugin holds.
  // n, document and log_index once it is in the log. A feed without a row was never asked about, and is not marked.
  "0015_feed_confirmations": statements(`
    create table feed_confirmation (
      id integer generated always as identity primary key,
      plugin text not null,
      code_hash text not null,
      state text not null check (state in ('unconfirmed', 'confirmed')),
      how text,
      since timestamptz(3) not null,
      n integer unique,
      document text,
      log_index integer
    );
    create index feed_confirmation_newest on feed_confirmation (plugin, id);
    create index feed_confirmation_unlogged on feed_confirmation (id) where n is null;
  `),

  // What the answers of each address hold, as the accepted runs of a plugin had them: the JSON of `Shape`, its names sorted.
  // broken_at: when an answer last broke that; incident: which one says so.
  "0016_answer_shapes": statements(`
    create table answer_shape (
      plugin text not null,
      address text not null,
      shape text not null,
      run text not null,
      changed_at timestamptz(3) not null,
      broken_at timestamptz(3),
      incident integer,
      primary key (plugin, address)
    );
  `),

  // rederives: the run whose stored bodies this one read, instead of its upstream. method: the value changed with the code.
  "0017_rederived_runs": statements(`
    alter table run add column rederives text;
    alter table revision add column method boolean not null default false;
    create index run_rederiving on run (rederives) where rederives is not null;
    drop trigger run_is_complete on run;
    create trigger run_is_complete after update of complete on run
      for each row when (new.complete and not old.complete and new.status = 'ok' and new.rederives is null)
      execute function count_rows_read();
    `),

  // Two series of one figure whose newest values contradict each other, and whether the feed of events has it.
  "0018_disagreements": statements(`
    create table disagreement (
      series integer not null references series,
      second integer not null references series,
      tolerance double precision not null,
      why text not null,
      since timestamptz(3) not null,
      in_feed boolean not null default false,
      primary key (series, second)
    );
  `),

  // What the leaf of a run says beside its exchanges. Null of runs that an earlier version stored, which have no leaf. due_at is
  // null also where no schedule asked for the run; outcome is known once the run is complete; hour and place: which document of
  // runs has its leaf, and where. run_input: the text behind targets_sha256 and settings_sha256.
  "0019_leaves_of_runs": statements(`
    alter table run add column due_at timestamptz(3);
    alter table run add column outcome text;
    alter table run add column settings_sha256 text;
    alter table run add column rows_root text;
    alter table run add column hour timestamptz(3);
    alter table run add column place integer;
    create index run_without_leaf on run (finished_at) where hour is null and outcome is not null;
    create index run_stored_rows on run (rows_sha256) where outcome = 'stored';
    create table run_input (
      sha256 text primary key,
      kind text not null check (kind in ('targets', 'settings')),
      text text not null
    );
  `),

  // Series that somebody asked to look at again, or that the daily lot fell on. target: the symbol that the run is about; null: all
  // of the plugin's. drawn: the series that the lot fell on. reason: why there is no run. What it gave is in recheck_series, beside what was served then.
  "0020_rechecks": statements(`
    create table recheck (
      id integer generated always as identity primary key,
      plugin text not null,
      target text,
      drawn integer[] not null default '{}',
      asked_at timestamptz(3) not null,
      taken_at timestamptz(3),
      done_at timestamptz(3),
      run text,
      reason text
    );
    create unique index recheck_open on recheck (plugin, coalesce(target, '')) where done_at is null;
    create index recheck_newest on recheck (plugin, asked_at);
    create index recheck_old on recheck (asked_at);
    create table recheck_series (
      recheck integer not null references recheck on delete cascade,
      series integer not null references series,
      verdict text not null,
      comparison jsonb not null,
      primary key (recheck, series)
    );
  `),

  // What notaries state of exchanges. A note is signed; which ones an exchange has never changes once its run has a leaf. lot_head:
  // SHA-256 of the head of the log by which the run's notary was drawn; lot_notary: its verifier key.
  "0021_notes_of_notaries": statements(`
    create table note (
      sha256 text primary key,
      notary text not null,
      text text not null
    );
    create table exchange_note (
      run text not null,
      n integer not null,
      place integer not null,
      note text not null references note,
      primary key (run, n, place)
    );
    alter table run add column lot_head text;
    alter table run add column lot_notary text;
  `),

  // What runs drew their notaries from: verifier keys in the order of the draw, by the hash that leaves name.
  "0022_lists_of_notaries": statements(`
    create table notary_list (
      sha256 text primary key,
      notaries text[] not null
    );
    alter table run add column lot_from text;
  `),

  // What holds of single series, beside what holds of their feed: a second source confirmed them, they are young, or two levels of
  // them are in doubt. until: null while it holds on. stated: what was compared, or the levels, as the document of the log has it.
  // n, document and log_index once it is in the log; n counts the changes of feeds and of series together.
  // A feed that one figure's second source confirmed is asked about again: the agreement of one figure says nothing of the others.
  "0023_standings_of_series": statements(`
    create table series_standing (
      id integer generated always as identity primary key,
      plugin text not null,
      code_hash text not null,
      state text not null check (state in ('confirmed', 'young', 'level in doubt', 'level decided')),
      how text,
      run text,
      series integer[] not null,
      since timestamptz(3) not null,
      until timestamptz(3),
      stated jsonb,
      n integer unique,
      document text,
      log_index integer
    );
    create index series_standing_of on series_standing using gin (series);
    create index series_standing_state on series_standing (state, id);
    create index series_standing_unlogged on series_standing (id) where n is null;
    insert into feed_confirmation (plugin, code_hash, state, since)
      select plugin, code_hash, 'unconfirmed', greatest(now(), since) from (
        select distinct on (plugin) * from feed_confirmation order by plugin, id desc
      ) f where how = 'second source';
  `),

  // Held values of one run and one cause are one fault. run: the one that brought the first of an incident's readings; fault: the
  // first incident of the fault, null of that one itself. over_at: the series went on as before; what was held stays held, and is no
  // longer waited for. reason: of each reading its own, null of those held before there was this column.
  "0024_faults": statements(`
    alter table incident add column run text;
    alter table incident add column fault integer;
    alter table incident add column over_at timestamptz(3);
    alter table incident add column over_note text;
    alter table exclusion add column reason text;
    create index incident_of_run on incident (run) where run is not null;
    create index incident_of_fault on incident (fault) where fault is not null;
    create index incident_held on incident (symbol, metric, source)
      where closed_at is null and over_at is null and guard is not null;
  `),

  // Who asked to look again: a keyed hash of the network, so that one of them does not use up the share of all.
  "0025_askers_of_rechecks": statements(`
    alter table recheck add column asked_by text;
  `),

  // Days whose 0 a definition states and nobody counted, each with why; the run that showed it. A value that is not 0 is not marked
  // by a row of its day, and a mark is never taken back: what stood beside the 0 then does not change.
  "0026_zeros_by_definition": statements(`
    create table defined_zero (
      series integer not null,
      day date not null,
      reason text not null,
      run text not null,
      primary key (series, day)
    );
  `),

  // Whose definition the figures of a source follow, as its manifest states it: the newest row of a source holds. replaces: the row
  // before it.
  "0027_methods": statements(`
    create table figure_method (
      id integer generated always as identity primary key,
      source text not null,
      statement text not null,
      since timestamptz(3) not null,
      replaces integer references figure_method
    );
    create index figure_method_newest on figure_method (source, id);
  `),

  // What the rows of runs have beside values: first_unit and first_url are those of a series' first row, and reading_row has the unit
  // and address of each reading whose row had others; of readings that an earlier version stored there is none. gave_leaf: a leaf is
  // of a row of this run, whose rows are kept for good.
  "0028_rows_of_readings": statements(`
    alter table series add column first_unit text;
    alter table series add column first_url text;
    update series set first_unit = unit;
    create table reading_row (
      series integer not null references series,
      as_of timestamptz(3) not null,
      version integer not null,
      unit text not null,
      verify_url text not null,
      primary key (series, as_of, version)
    );
    alter table run add column gave_leaf boolean not null default false;
  `),

  // The heads by which notaries were drawn: signed notes, each with one cosignature where it had any, by the hash that leaves name.
  "0029_heads_of_draws": statements(`
    create table drawing_head (
      sha256 text primary key,
      note text not null
    );
  `),

  // What a person who confirmed a feed or series of it went by, in words.
  "0030_reasons_of_confirmations": statements(`
    alter table feed_confirmation add column reason text;
    alter table series_standing add column reason text;
  `),

  // Answers of runs that are kept as cases of their feeds: those of the first shape, and of each later one. tape: zstd-compressed JSON;
  // null of a run that was looked at and had no new shape.
  "0031_answer_cases": statements(`
    create table answer_case (
      plugin text not null,
      run text not null,
      looked_at timestamptz(3) not null,
      shape text not null,
      tape bytea,
      primary key (plugin, run)
    );
  `),

  // The runs of an hour leave together.
  "0032_runs_by_hour": statements(`
    create index run_of_hour on run (hour) where hour is not null;
  `),

  // Whether a source was asked again about a reading.
  "0033_rechecks_of_series": statements(`
    create index recheck_of_series on recheck_series (series);
  `),

  // Of an address with an open incident: what its answers held before, and when one last differed from that.
  "0034_shapes_before_incidents": statements(`
    alter table answer_shape add column unbroken text;
    alter table answer_shape add column differed_at timestamptz(3);
  `),

  // Of figures that are read from chains: place is what has the code that gives them, a contract or a chain; null of a method that a
  // manifest states.
  "0035_codes_of_chains": statements(`
    alter table figure_method add column place text;
  `)
}
