/** Tables of this room. Amounts are `bigint` micro-dollars. */
import { statements } from "./statements.ts"

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
  `),

  "0004_cards": statements(`
    create table card_order (
      id text primary key,
      kind text not null check (kind in ('topup', 'one_shot', 'subscription')),
      sku text not null,
      amount bigint not null check (amount > 0),
      account text references account,
      scope text not null,
      idempotency_key text,
      request_sha256 text not null,
      session text unique,
      url text,
      state text not null default 'open' check (state in ('open', 'paid', 'closed', 'held')),
      note text,
      created_at timestamptz(3) not null,
      paid_at timestamptz(3),
      unique (scope, idempotency_key)
    );
    create index card_order_of_account on card_order (account);

    create table card_payment (
      payment text primary key,
      card_order text references card_order,
      account text references account,
      amount bigint not null default 0,
      refunded bigint not null default 0,
      disputed bigint not null default 0,
      dispute_closed boolean not null default false,
      reversed bigint not null default 0,
      moves integer not null default 0
    );

    create table stripe_event (
      id text primary key,
      type text not null,
      created_at timestamptz(3) not null,
      received_at timestamptz(3) not null
    );

    create table subscription (
      id text primary key,
      card_order text references card_order,
      account text references account,
      customer text,
      tier text,
      price text,
      state text not null check (state in ('active', 'past_due', 'canceling', 'ended')),
      period_ends timestamptz(3),
      told_at timestamptz(3) not null
    );
    create index subscription_of_account on subscription (account);
  `),

  "0005_stablecoin": statements(`
    create table wallet_challenge (
      nonce_hash text primary key,
      account text not null references account,
      wallet text not null,
      message text not null,
      expires_at timestamptz(3) not null,
      used_at timestamptz(3)
    );

    create table wallet (
      account text not null references account,
      address text not null,
      delegated boolean not null,
      verified_at timestamptz(3) not null,
      primary key (account, address)
    );
    create index wallet_of_address on wallet (address);

    create table topup_quote (
      id text primary key,
      account text not null references account,
      wallet text not null,
      chain bigint not null,
      token text not null,
      deposit_address text not null,
      units bigint not null check (units > 0),
      state text not null default 'open' check (state in ('open', 'expired', 'credited')),
      idempotency_key text,
      request_sha256 text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      unique (account, idempotency_key)
    );
    create unique index topup_quote_amount on topup_quote (chain, token, deposit_address, units) where state = 'open';
    create index topup_quote_of_account on topup_quote (account, created_at desc);
    create index topup_quote_of_amount on topup_quote (units, created_at desc);

    create table chain_transfer (
      chain bigint not null,
      token text not null,
      tx text not null,
      log_index integer not null,
      block bigint not null,
      block_hash text not null,
      block_time timestamptz(3) not null,
      sender text not null,
      units numeric not null,
      state text not null check (state in ('seen', 'finalized', 'credited', 'unmatched')),
      reason text,
      account text references account,
      quote text unique references topup_quote,
      seen_at timestamptz(3) not null,
      primary key (chain, token, tx, log_index)
    );
    create index chain_transfer_of_account on chain_transfer (account);

    create table chain_cursor (
      chain bigint not null,
      token text not null,
      deposit_address text not null,
      block bigint not null,
      block_hash text not null,
      primary key (chain, token, deposit_address)
    );
  `),

  "0006_card_refunds": statements(`
    create table card_refund (
      id text primary key,
      payment text not null references card_payment,
      amount bigint not null,
      failed boolean not null
    );
    create index card_refund_of_payment on card_refund (payment);
  `),

  // A key is opened before its purchase is written, in one transaction.
  "0007_encoder_keys": statements(`
    create table encoder_key (
      hash text primary key,
      purchase text not null unique references purchase deferrable initially deferred
    );
  `),
  "0008_grants_by_site": statements(`
    -- The /48 around an IPv6 network, hashed as the network is; null for IPv4.
    alter table starter_grant add column site text;
    create index starter_grant_of_site on starter_grant (site, granted_at) where site is not null;
  `),

  // A version that knows no scopes would take any key of api_key for one that may do everything, so limited keys have a
  // table of their own. The view is what both hold.
  "0009_limited_keys": statements(`
    alter table api_key add column id text, add column name text not null default '',
      add column last_used_at timestamptz(3);
    create table limited_key (
      hash text primary key,
      id text not null,
      account text not null references account,
      name text not null,
      scopes text[] not null,
      buy_per_day bigint check (buy_per_day > 0),
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      last_used_at timestamptz(3)
    );
    create index limited_key_of_account on limited_key (account);
    create view account_key as
      select hash, coalesce(id, 'key_' || left(hash, 16)) as id, account, name, null::text[] as scopes,
        null::bigint as buy_per_day, created_at, ended_at, last_used_at from api_key
      union all
      select hash, id, account, name, scopes, buy_per_day, created_at, ended_at, last_used_at from limited_key;
    alter table purchase add column key_id text;
  `),

  // Payments of subscriptions, which Stripe names in two events: the invoice, and the payment that paid it.
  "0010_subscription_payments": statements(`
    create table subscription_invoice (
      invoice text primary key,
      subscription text,
      amount bigint,
      payment text,
      paid_at timestamptz(3) not null
    );
    create index subscription_invoice_of_subscription on subscription_invoice (subscription);
    create index subscription_invoice_of_payment on subscription_invoice (payment);
  `),

  // What was received for an order that is held, who made a posting by hand, and how what was held was settled.
  "0011_operators_money": statements(`
    alter table card_order add column payment text, add column received bigint;
    alter table posting add column operator text;
    create table operator_settlement (
      subject text primary key,
      kind text not null check (kind in ('refund', 'credit')),
      operator text not null,
      reason text not null,
      outside text unique,
      settled_at timestamptz(3) not null
    );
  `),

  // What a subscription is charged: the price that it was sold at, whatever the price list says since.
  "0012_subscription_rate": statements(`
    alter table subscription add column rate bigint;
    update subscription s set rate = o.amount from card_order o
      where o.id = s.card_order and s.tier =
        case o.sku when 'dp_agent_499' then 'agent' when 'dp_partner_199' then 'design_partner' end;
  `),

  // The salted commitment to each sale. day: the UTC day whose document in the log has it; place and path lead to that
  // document's root. What else is in that tree belongs to no sale, and is stored nowhere.
  "0013_sale_commitments": statements(`
    create table sale_commitment (
      sale text primary key,
      salt bytea not null,
      commitment bytea not null unique,
      made_at timestamptz(3) not null,
      day date,
      place integer,
      path bytea,
      log_index integer,
      check ((day is null) = (place is null) and (day is null) = (path is null))
    );
    create index sale_commitment_waiting on sale_commitment (made_at) where day is null;
    create index sale_commitment_of_day on sale_commitment (day) where day is not null;
  `),

  // Books of closed months, which no release had: `0018_no_money_books` takes them away.
  "0014_money_books": statements(`
    create table money_book (
      month text primary key,
      starts_at timestamptz(3) not null,
      ends_at timestamptz(3) not null,
      through bigint not null,
      document text not null
    );
    create trigger append_only before update or delete or truncate on money_book
      for each statement execute function ledger_is_append_only();

    create function credit_pools_after(pools bigint[], house text, amount bigint) returns bigint[]
      language sql immutable as $$ select case when amount >= 0 and house in ('grants', 'operator') then array[pools[1] + amount, pools[2]] when amount >= 0 then array[pools[1], pools[2] + amount] when house in ('grants', 'operator', 'sales') then array[greatest(pools[1] + amount, 0), pools[2] + least(pools[1] + amount, 0)] else array[pools[1] + least(pools[2] + amount, 0), greatest(pools[2] + amount, 0)] end $$;
    create aggregate credit_pools(text, bigint) (sfunc = credit_pools_after, stype = bigint[], initcond = '{0,0}');
  `),

  // What each sale promised of which values, and what is paid back of it, once. keys: the first 8 bytes of the leaf hash of each
  // value, by which a revision or an exclusion finds the sales. document: what the log has of it.
  "0015_warranty": statements(`
    create table warranty_sale (
      sale text primary key,
      promise jsonb not null,
      pays bigint not null check (pays > 0),
      most_per_day bigint not null,
      most_in_total bigint not null,
      sold_at timestamptz(3) not null,
      until timestamptz(3) not null,
      rows integer not null check (rows > 0),
      root bytea not null,
      keys bigint[] not null
    );
    create index warranty_sale_keys on warranty_sale using gin (keys);
    create index warranty_sale_sold on warranty_sale (sold_at);
    create table warranty_payment (
      sale text primary key references warranty_sale,
      amount bigint not null check (amount > 0),
      because text not null,
      document text not null,
      due_at timestamptz(3) not null,
      state text not null default 'due' check (state in ('due', 'stopped', 'paid')),
      account text references account,
      paid_at timestamptz(3),
      released_by text,
      release_reason text,
      released_at timestamptz(3),
      check ((state = 'paid') = (paid_at is not null) and (state = 'paid') = (account is not null)),
      check ((released_by is null) = (released_at is null) and (state <> 'stopped' or released_at is null))
    );
    create index warranty_payment_open on warranty_payment (due_at, sale) where state <> 'paid';
    create index warranty_payment_paid on warranty_payment (paid_at) where state = 'paid';
  `),

  // What warranties pay to the address that paid. A row is the debt's one authorization (EIP-3009), written before anything is
  // sent: the token takes it once, in whichever transaction. tx, raw: the last transaction that was signed for it.
  "0016_warranty_transfers": statements(`
    alter table warranty_payment drop constraint warranty_payment_state_check, drop constraint warranty_payment_check,
      add constraint warranty_payment_state_check check (state in ('due', 'stopped', 'sending', 'paid')),
      add constraint warranty_payment_check
        check ((state = 'paid') = (paid_at is not null) and (account is null or state = 'paid'));
    create table warranty_transfer (
      sale text primary key references warranty_payment,
      network text not null,
      asset text not null,
      sender text not null,
      recipient text not null,
      amount bigint not null check (amount > 0),
      nonce text not null,
      signature text not null,
      since_block bigint not null,
      tx text,
      raw text,
      begun_at timestamptz(3) not null,
      final_at timestamptz(3),
      unique (network, asset, sender, nonce),
      check (final_at is null or tx is not null)
    );
    create index warranty_transfer_open on warranty_transfer (begun_at, sale) where final_at is null;
    create index warranty_transfer_final on warranty_transfer (final_at) where final_at is not null;
    create index warranty_transfer_recipient on warranty_transfer (recipient);
  `),

  // refusal: why the chain does not take the transfer of a payment; of one that is stopped, why it may already be paid. A stopped
  // payment without it is stopped by a ceiling.
  "0017_warranty_refusals": statements(`
    alter table warranty_payment add column refused_at timestamptz(3), add column refusal text,
      add constraint warranty_payment_refusal_check check ((refused_at is null) = (refusal is null));
    drop index warranty_transfer_recipient;
  `),

  "0018_no_money_books": statements(`
    drop table money_book;
    drop aggregate credit_pools(text, bigint);
    drop function credit_pools_after(bigint[], text, bigint);
  `),

  // A warranty pays in credits alone. No release had transfers, and what one had begun is due again.
  "0019_no_warranty_transfers": statements(`
    drop table warranty_transfer;
    update warranty_payment set state = 'due' where state = 'sending';
    alter table warranty_payment drop constraint warranty_payment_state_check,
      add constraint warranty_payment_state_check check (state in ('due', 'stopped', 'paid')),
      drop column refused_at, drop column refusal;
  `)
}
