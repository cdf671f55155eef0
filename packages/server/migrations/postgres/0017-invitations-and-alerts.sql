-- Who took an invitation, one open invitation for each team and address, and the teams that want to be told when their
-- credits run low. When an alert last changed is part of the topic of its next letter, so that any number of processes
-- write one letter for each fall.
alter table team_invitation add column accepted_by text collate "C";

update team_invitation set revoked_at = created_at
 where accepted_at is null and revoked_at is null
   and exists (select 1 from team_invitation later
                where later.team_id = team_invitation.team_id and later.email = team_invitation.email
                  and later.accepted_at is null and later.revoked_at is null
                  and later.invitation_id > team_invitation.invitation_id);

create unique index team_invitation_open on team_invitation (team_id, email)
 where accepted_at is null and revoked_at is null;

create table team_alert (
  team_id                text collate "C" not null primary key references team on delete restrict,
  threshold_nanocredits  bigint not null check (threshold_nanocredits > 0),
  is_low                 integer not null check (is_low = 0 or is_low = 1),
  changed_at             bigint not null
);
