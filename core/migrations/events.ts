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
  `),

  "0004_alerts": statements(`
    -- condition, channel and quiet are JSON as the wire has them. category is resolved by the catalog, so it is not joined.
    -- next_due_at: no message of this alert is due earlier. since_event and since_value: the newest event and the newest
    -- queued value when it was confirmed: what came before is no crossing.
    create table alert (
      id text primary key,
      account text not null references account,
      kind text not null,
      on_values boolean generated always as (kind in ('above', 'below', 'change', 'new_high', 'new_low', 'stale')) stored,
      condition text not null,
      symbol text,
      category text,
      metric text,
      source text,
      channel text not null,
      quiet text,
      min_interval integer not null,
      state text not null default 'unconfirmed' check (state in ('unconfirmed', 'active')),
      next_due_at timestamptz(3),
      since_event bigint,
      since_value bigint,
      created_at timestamptz(3) not null,
      confirmed_at timestamptz(3)
    );
    create index alert_of_account on alert (account, created_at);
    create index alert_of_metric on alert (metric, id) where state = 'active' and on_values;
    create index alert_of_kind on alert (kind, id) where state = 'active';

    -- Values that an alert is about and that no pass has judged, written by triggers with the value itself: none is missed
    -- between two passes. Writers of latest hold the writer lock, so the order of the ids is that of the commits.
    create table alert_value (
      id bigint generated always as identity primary key,
      series integer not null references series,
      as_of timestamptz(3) not null,
      value double precision not null,
      value_text text,
      verify_url text not null,
      simulated boolean not null
    );
    create function alert_value_is_new() returns trigger language plpgsql as $$ begin
      insert into alert_value (series, as_of, value, value_text, verify_url, simulated)
      select n.series, n.as_of, n.value, n.value_text, n.verify_url, n.simulated
      from written n join series s on s.id = n.series
      where exists (select 1 from alert a where a.state = 'active' and a.on_values and a.metric = s.metric
          and (a.symbol is null or a.symbol = s.symbol) and (a.source is null or a.source = s.source)); return null; end $$;
    create function alert_value_is_other() returns trigger language plpgsql as $$ begin
      insert into alert_value (series, as_of, value, value_text, verify_url, simulated)
      select n.series, n.as_of, n.value, n.value_text, n.verify_url, n.simulated
      from written n join before o on o.series = n.series join series s on s.id = n.series
      where (n.value, n.value_text, n.as_of) is distinct from (o.value, o.value_text, o.as_of)
        and exists (select 1 from alert a where a.state = 'active' and a.on_values and a.metric = s.metric
          and (a.symbol is null or a.symbol = s.symbol) and (a.source is null or a.source = s.source)); return null; end $$;
    create trigger alert_of_new_value after insert on latest referencing new table as written
      for each statement execute function alert_value_is_new();
    create trigger alert_of_other_value after update on latest referencing old table as before new table as written
      for each statement execute function alert_value_is_other();

    -- Whether the condition was true of a series at the last look; without a row it was not.
    create table alert_standing (
      alert text not null references alert on delete cascade,
      series integer not null references series,
      holds boolean not null,
      primary key (alert, series)
    );

    -- A message: its crossings are told together. body is composed at the first attempt and stays: a repeated delivery says
    -- the same under the same id.
    create table alert_delivery (
      id text primary key,
      alert text not null references alert on delete cascade,
      type text not null check (type in ('confirmation', 'crossings')),
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      body text,
      created_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      give_up_at timestamptz(3) not null,
      claimed_until timestamptz(3),
      attempted_at timestamptz(3),
      status integer,
      error text
    );
    create index alert_delivery_due on alert_delivery (due_at) where state = 'pending';
    create index alert_delivery_newest on alert_delivery (alert, created_at desc);

    -- A condition became true. cause names what made it true: the same is recorded once. body is JSON as the wire has it.
    create table alert_crossing (
      n bigint generated always as identity primary key,
      id text not null unique,
      alert text not null references alert on delete cascade,
      cause text not null,
      at timestamptz(3) not null,
      body text not null,
      delivery text references alert_delivery on delete set null,
      unique (alert, cause)
    );
    create index alert_crossing_newest on alert_crossing (alert, n desc);
    create index alert_crossing_of_delivery on alert_crossing (delivery);

    -- Messages that asked an addressee for a confirmation, also of alerts that are ended. Rows of the last hour count.
    create table alert_confirmation (
      id integer generated always as identity primary key,
      account text not null references account,
      addressee text not null,
      at timestamptz(3) not null
    );
    create index alert_confirmation_of_account on alert_confirmation (account, at);
    create index alert_confirmation_of_addressee on alert_confirmation (addressee, at);
  `),

  "0005_events_but_values": statements(`
    -- Few among the many of new values: whoever reads what happened looks for them, newest first.
    create index event_but_values on event (id) where kind <> 'values';
  `),

  "0006_alert_limits": statements(`
    -- When an alert was one too many for the tier of its account: since then nobody looks at its condition.
    alter table alert add column over_limit_since timestamptz(3);
    create index alert_over_limit on alert (account) where over_limit_since is not null;
  `),

  // The newest finding on closed values when the alert was confirmed: what was found before is no crossing.
  "0007_alerts_on_anomalies": statements(`
    alter table alert add column since_anomaly integer;
  `),

  // By what messages that ask for a confirmation are counted beside account and addressee, which is of mail its mailbox now: the domain
  // of an address, and a keyed hash of the network that asked. And whose receivers refused all mail.
  "0008_mail_refusals": statements(`
    alter table alert_confirmation add column domain text, add column network text;
    create index alert_confirmation_of_domain on alert_confirmation (domain, at) where domain is not null;
    create index alert_confirmation_of_network on alert_confirmation (network, at);
    create index alert_confirmation_at on alert_confirmation (at);
    create table mail_refusal (
      mailbox text primary key,
      at timestamptz(3) not null
    );
  `),

  // The first statement of a method is none of a change.
  "0009_changes_of_methods": statements(`
    create trigger event_of_method after insert on figure_method for each row
      when (new.replaces is not null) execute function event_is_due('method_changed');
  `),

  // Who gets yesterday by mail. scope: names as JSON, null of all; told_day: the newest closed day that was queued. A message without a day
  // asks for the confirmation, which counts as those of alerts do, and has no account.
  "0010_mornings": statements(`
    create table morning (
      id text primary key,
      address text not null,
      mailbox text not null,
      title text not null,
      scope text,
      state text not null default 'unconfirmed' check (state in ('unconfirmed', 'active')),
      told_day date,
      created_at timestamptz(3) not null,
      confirmed_at timestamptz(3)
    );
    create index morning_of_mailbox on morning (mailbox);
    create index morning_owed on morning (told_day) where state = 'active';
    create table morning_message (
      id text primary key,
      morning text not null references morning on delete cascade,
      day date,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      body text,
      created_at timestamptz(3) not null,
      due_at timestamptz(3) not null,
      give_up_at timestamptz(3) not null,
      claimed_until timestamptz(3),
      attempted_at timestamptz(3),
      status integer,
      error text,
      unique (morning, day)
    );
    create index morning_message_due on morning_message (due_at) where state = 'pending';
    alter table alert_confirmation alter column account drop not null;
  `),

  // By its owner, until he resumes it.
  "0011_alert_paused": statements(`
    alter table alert add column paused_since timestamptz(3);
  `)
}
