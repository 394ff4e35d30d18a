/** Tables of this room (design 6). Amounts are `bigint` micro-dollars. */
import { statements } from "../data/migrations.ts"

export const migrations = {
  "0001_ledger_and_accounts": statements(`
    create table account (
      id text primary key,
      agent_name text not null,
      email text,
      balance bigint not null default 0 check (balance >= 0),
      owed bigint not null default 0 check (owed >= 0),
      tier text not null default 'free',
      created_at timestamptz(3) not null,
      check (owed = 0 or balance = 0)
    );

    create table api_key (
      hash text primary key,
      account text not null references account,
      created_at timestamptz(3) not null,
      ended_at timestamptz(3)
    );
    create index api_key_of_account on api_key (account);

    create table starter_grant (
      account text primary key references account,
      origin text not null,
      granted_at timestamptz(3) not null
    );
    create index starter_grant_of_origin on starter_grant (origin, granted_at);

    create table posting (
      id bigint generated always as identity primary key,
      key text not null unique,
      cause text not null,
      reference text not null,
      note text,
      posted_at timestamptz(3) not null
    );
    create index posting_of_reference on posting (reference);

    create table ledger_entry (
      posting bigint not null references posting,
      account text not null,
      amount bigint not null check (amount <> 0),
      primary key (posting, account)
    );
    create index ledger_entry_of_account on ledger_entry (account);

    create function ledger_is_append_only() returns trigger language plpgsql as
      $$ begin raise exception 'the ledger is append-only: % of % refused', tg_op, tg_table_name; end $$;
    create trigger append_only before update or delete or truncate on posting
      for each statement execute function ledger_is_append_only();
    create trigger append_only before update or delete or truncate on ledger_entry
      for each statement execute function ledger_is_append_only();

    create function posting_is_balanced() returns trigger language plpgsql as
      $$ begin if (select sum(amount) from ledger_entry where posting = new.posting) <> 0 then raise exception 'posting % does not sum to zero', new.posting; end if; return null; end $$;
    create constraint trigger balanced after insert on ledger_entry
      deferrable initially deferred for each row execute function posting_is_balanced();
  `),

  "0002_purchases": statements(`
    create table payload (
      sha256 text primary key,
      bytes bytea not null
    );

    create table purchase (
      id text primary key,
      account text not null references account,
      product_key text not null,
      price bigint not null,
      remaining bigint not null,
      payload_sha256 text not null references payload,
      checkpoint jsonb,
      idempotency_key text,
      request_sha256 text not null,
      purchased_at timestamptz(3) not null,
      unique (account, idempotency_key)
    );
    create index purchase_of_account on purchase (account, purchased_at desc, id desc);
  `),

  "0003_usage": statements(`
    create table usage (
      day date not null,
      subject text not null,
      calls bigint not null,
      primary key (day, subject)
    );
  `)
}
