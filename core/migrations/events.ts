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
  `),

  // Secrets are not here: they are derived from the server's secret, the id and the epoch.
  "0002_webhooks": statements(`
    -- seen: events up to this one have become deliveries. While a target fails, it is retried from retry_at on.
    create table webhook (
      id text primary key,
      account text not null references account,
      url text not null,
      symbol text,
      category text,
      kind text,
      secret_epoch integer not null default 1,
      previous_until timestamptz(3),
      state text not null default 'active' check (state in ('active', 'paused')),
      paused_by text check (paused_by in ('owner', 'service')),
      paused_at timestamptz(3),
      pause_reason text,
      seen bigint not null,
      failures integer not null default 0,
      failing_since timestamptz(3),
      retry_at timestamptz(3),
      delivered_at timestamptz(3),
      created_at timestamptz(3) not null
    );
    create index webhook_of_account on webhook (account, created_at);

    -- body: of a message about the webhook itself; otherwise it is that of the event. forced: tried whether or not the
    -- webhook is paused. A process that attempts a delivery holds the claim until claimed_until.
    create table webhook_delivery (
      id text primary key,
      webhook text not null references webhook on delete cascade,
      type text not null,
      event bigint,
      body text,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
      forced boolean not null default false,
      attempts integer not null default 0,
      created_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      give_up_at timestamptz(3) not null,
      claimed_until timestamptz(3),
      attempted_at timestamptz(3),
      status integer,
      error text,
      millis integer,
      unique (webhook, event)
    );
    create index webhook_delivery_due on webhook_delivery (webhook, due_at) where state = 'pending';
    create index webhook_delivery_newest on webhook_delivery (webhook, created_at desc, id desc);
  `),

  "0003_webhook_challenges": statements(`
    -- When the target answered a challenge: before, it gets no events. Targets from before there were challenges go on.
    alter table webhook add column challenged_at timestamptz(3);
    update webhook set challenged_at = created_at;

    -- Messages that an owner had sent to a host without an event: bounded by account and by host, also over webhooks that
    -- are deleted. Rows of the last hour count.
    create table webhook_probe (
      id integer generated always as identity primary key,
      account text not null references account,
      host text not null,
      kind text not null check (kind in ('challenge', 'test')),
      at timestamptz(3) not null
    );
    create index webhook_probe_of_account on webhook_probe (account, kind, at);
    create index webhook_probe_of_host on webhook_probe (host, kind, at);
  `)
}
