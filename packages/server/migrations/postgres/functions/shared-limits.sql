-- Takes tokens from many buckets at once. Rows are locked in one order, so that two processes never wait for each
-- other. A bucket never holds more than its burst less what is lent, so that what processes hold and what is left
-- together are never more than one bucket. Of each row that was asked: used, held and given are the tokens that were
-- leased to the process in an epoch, by what has become of them; spent is what passed while the store could not be
-- asked; need are requests that wait; wish is how many more it would hold, granted only where all that wait pass, and
-- never beyond an eighth of the burst over all processes. The answer has, for each: place, granted, ahead, the bucket's
-- time, missing. That time never goes back, but for a clock that is set back by more than a minute: the bucket then
-- goes on from there.
create or replace function rate_take(asked jsonb, now bigint) returns text language plpgsql as $$
declare
  answer text;
begin
  insert into rate_bucket (kind, caller, seen_at, interval, burst)
    select a.kind, a.caller, now, a.interval, a.burst
      from jsonb_to_recordset(asked) a (kind text, caller text, interval bigint, burst bigint)
     order by a.kind collate "C", a.caller collate "C"
    on conflict do nothing;

  perform 1
    from rate_bucket b
    join jsonb_to_recordset(asked) a (kind text, caller text) on a.kind = b.kind and a.caller = b.caller
   order by b.kind, b.caller
     for update of b;

  with taken as (
    select a.place, a.kind, a.caller, a.interval, a.burst, t.present, l.granted, l.ahead,
           s.lent + l.ahead as lent, s.lent_before, s.missing + (l.granted + l.ahead) * a.interval as missing
      from jsonb_to_recordset(asked) a (place int, kind text, caller text, interval bigint, burst bigint, epoch bigint,
           used int, held int, given int, spent bigint, need int, wish int)
      join rate_bucket b on b.kind = a.kind and b.caller = a.caller
     cross join lateral (
       select case when now < b.seen_at - 60000 then now else greatest(now, b.seen_at) end as present,
              case when now < b.seen_at - 60000 then now else b.seen_at end as seen_at,
              case when now < b.seen_at - 60000 then 0 else b.lent end as lent,
              case when now < b.seen_at - 60000 then 0 else b.lent_before end as lent_before
     ) t
     cross join lateral (select t.present / 2000 as epoch, t.seen_at / 2000 as seen_epoch) e
     -- What was lent and has run out counts as used; until it ran out, the bucket could not fill its place.
     cross join lateral (
       select case when e.epoch = e.seen_epoch then t.lent else 0 end as lent,
              case e.epoch - e.seen_epoch when 0 then t.lent_before when 1 then t.lent else 0 end as lent_before,
              greatest(b.missing - (t.present - t.seen_at) * 1000000,
                case when e.epoch > e.seen_epoch then
                  ((e.seen_epoch + 1) * 2000 - t.present) * 1000000 + (t.lent + t.lent_before) * b.interval end,
                case when e.epoch > e.seen_epoch + 1 then
                  ((e.seen_epoch + 2) * 2000 - t.present) * 1000000 + t.lent * b.interval end) as missing
     ) g
     cross join lateral (
       select greatest(g.missing, (g.lent + g.lent_before) * b.interval) as missing,
              b.interval <> a.interval or b.burst <> a.burst as is_other_rate
     ) f
     -- At another rate there are as many requests left as there were, at most its burst, and what was lent is
     -- forgotten: a process that hears of the new rate uses nothing of it.
     cross join lateral (
       select case when f.is_other_rate then greatest(0, ceil(a.burst * a.interval
                     - (b.burst * b.interval - f.missing)::numeric / b.interval * a.interval))::bigint
                   else f.missing end as missing,
              case when f.is_other_rate then 0 else g.lent end as lent,
              case when f.is_other_rate then 0 else g.lent_before end as lent_before,
              a.used + a.held + a.given as settled,
              case when a.epoch >= e.epoch - 1 then a.held else 0 end as held,
              case when a.epoch >= e.epoch - 1 and not f.is_other_rate then a.given else 0 end as given
     ) c
     cross join lateral (
       select greatest(0, c.lent - case when a.epoch = e.epoch then c.settled else 0 end) + c.held as lent,
              greatest(0, c.lent_before - case when a.epoch = e.epoch - 1 then c.settled else 0 end) as lent_before
     ) h
     cross join lateral (
       select h.lent, h.lent_before,
              greatest(
                c.missing - c.given * a.interval,
                (h.lent + h.lent_before) * a.interval,
                least(c.missing + (a.spent - c.given) * a.interval, a.burst * a.interval)) as missing
     ) s
     cross join lateral (select greatest(0, (a.burst * a.interval - s.missing) / a.interval) as level) v
     cross join lateral (
       select least(a.need, v.level) as granted,
              case when v.level > a.need then greatest(0, least(
                a.wish, (v.level - a.need) / 8, a.burst / 8 - s.lent - s.lent_before)) else 0 end as ahead
     ) l
  ), changed as (
    update rate_bucket b
       set seen_at = t.present, missing = t.missing, interval = t.interval, burst = t.burst, lent = t.lent,
           lent_before = t.lent_before
      from taken t
     where b.kind = t.kind and b.caller = t.caller
    returning t.place, t.granted, t.ahead, t.present, t.missing
  )
  select '[' || coalesce(string_agg(
           format('[%s,%s,%s,%s,%s]', c.place, c.granted, c.ahead, c.present, c.missing), ','), '') || ']'
    into answer
    from changed c;
  return answer;
end
$$;

-- Takes slots for streams of many callers at once. Each row says how many streams the process has open, how many more
-- it wants, and how many all processes together may have. A session that counts a caller's streams waits for who does
-- it already; the locks end with the transaction. Streams of processes that are gone, by the lease or by what the
-- asking process has seen of it, count no more: what a lease says was written by another clock. The answer has, for
-- each: place, granted.
drop function if exists stream_slots_take(jsonb, text, bigint);
create or replace function stream_slots_take(asked jsonb, process text, gone text[])
returns text language plpgsql as $$
declare
  answer text;
begin
  perform pg_advisory_xact_lock(730994603, l.place)
    from (select distinct hashtext(a.caller) as place from jsonb_to_recordset(asked) a (caller text) order by 1) l;

  with counted as (
    select a.place, a.caller, a.open, greatest(0, least(a.want, a.most - a.open - o.slots)) as granted
      from jsonb_to_recordset(asked) a (place int, caller text, open int, want int, most int)
     cross join lateral (
       select coalesce(sum(s.slots), 0)::int as slots
         from stream_slot s
         join process_lease p on p.process_id = s.process_id and p.lease_until > 0
        where s.caller = a.caller and s.process_id <> process and s.process_id <> all (gone)
     ) o
  ), ended as (
    delete from stream_slot s
     using counted c
     where s.caller = c.caller and s.process_id = process and c.open + c.granted = 0
  ), kept as (
    insert into stream_slot (caller, process_id, slots)
      select c.caller, process, c.open + c.granted from counted c where c.open + c.granted > 0
    on conflict (caller, process_id) do update set slots = excluded.slots
  )
  select '[' || coalesce(string_agg(format('[%s,%s]', c.place, c.granted), ','), '') || ']' into answer from counted c;
  return answer;
end
$$;

-- Removes what says nothing any more: buckets that have been full for a minute, calls older than the longest window,
-- which is a day, and slots of processes that are gone. Rows that another session works with are left for later, so
-- that no session waits for what is only tidied up.
drop function if exists limits_forget(bigint);
create or replace function limits_forget(now bigint, gone text[]) returns void language plpgsql as $$
begin
  delete from rate_bucket where ctid = any (array(
    select ctid from rate_bucket where seen_at + missing / 1000000 < now - 60000 limit 10000 for update skip locked));
  delete from rare_call where ctid = any (array(
    select ctid from rare_call where last_at < now - 86400000 limit 10000 for update skip locked));
  delete from stream_slot where ctid = any (array(
    select s.ctid from stream_slot s
     where not exists (select 1 from process_lease p where p.process_id = s.process_id and p.lease_until > 0)
        or s.process_id = any (gone)
     limit 10000 for update of s skip locked));
end
$$;
