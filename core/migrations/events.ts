/** Tables of this room: the feed of events, and webhooks. */
import { statements } from "./statements.ts"

export const migrations = {
  "0001_events": statements(`
    -- The feed: ids have no gaps. body is the event as it is served, with its signature; it never changes. Old events are
    -- removed, the newest never.
    create table event (
      id bigint primary key,
      kind text not null,
      symbol text,
      category text,
      at timestamptz(3) not null,
      body text not null
    );
    create index event_of_symbol on event (symbol, id);

    -- What happened and is not in the feed yet, written by triggers with the fact itself. New values are not here: they
    -- are found by \`latest.changed\`.
    create table event_due (
      id integer generated always as identity primary key,
      kind text not null,
      ref integer not null
    );
    create function event_is_due() returns trigger language plpgsql as $$ begin
      insert into event_due (kind, ref) values (tg_argv[0], new.id); return null; end $$;
    create trigger event_of_revision after insert on revision
      for each row execute function event_is_due('revisions');
    create trigger event_of_opening after insert on incident
      for each row execute function event_is_due('incident_opened');
    create trigger event_of_closing after update of closed_at on incident for each row
      when (old.closed_at is null and new.closed_at is not null) execute function event_is_due('incident_closed');
    create trigger event_of_day after update of closed_at on batch for each row
      when (old.closed_at is null and new.closed_at is not null) execute function event_is_due('day_closed');
    create trigger event_of_anchor after update of state on anchor for each row
      when (old.state = 'pending' and new.state in ('confirmed', 'final'))
      execute function event_is_due('anchor_confirmed');
  `)
}
