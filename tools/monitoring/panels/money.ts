import { lines, type PanelRow, quantiles, stat } from '../panel.ts'

export const money: PanelRow = {
  title: 'Money',
  panels: [
    lines('Credits charged by model', 'cps', 'Ten dearest, a second; floats, for display only.', [
      'topk(10, sum by (model) (rate(svc_chat_credits_charged_total[$__rate_interval])) or sum by (model) (rate(svc_media_credits_charged_total[$__rate_interval])))',
      '{{model}}',
    ]),
    lines(
      'Charged and written off',
      'cps',
      'Credits a second: what clients pay, and what we bear.',
      ['sum(rate(svc_credits_charged_total[$__rate_interval]))', 'charged'],
      ['sum(rate(svc_write_off_credits_total[$__rate_interval]))', 'written off'],
    ),
    lines(
      'Losses',
      'cps',
      'Settlements of which we bear a part, and requests that cost more than their hold.',
      ['sum(rate(svc_write_offs_total[$__rate_interval]))', 'write-offs'],
      ['sum(rate(svc_overruns_total[$__rate_interval]))', 'overruns'],
    ),
    lines(
      'Holds',
      'short',
      'Open holds of all processes, and of those that are scraped.',
      ['max(svc_database_holds_open)', 'in the database'],
      ['sum(svc_holds_open)', 'in processes'],
    ),
    lines(
      'Credits on hold',
      'short',
      'Floats, for display only.',
      ['max(svc_database_holds_open_credits)', 'in the database'],
      ['sum(svc_holds_open_credits)', 'in processes'],
    ),
    lines(
      'Oldest hold',
      's',
      'A hold of an hour is no request any more.',
      ['max(svc_database_holds_oldest_age_seconds)', 'in the database'],
      ['max(svc_holds_oldest_age_seconds)', 'in processes'],
    ),
    lines('Holds that ended', 'cps', 'captured, released (free), expired (left behind).', [
      'sum by (end) (rate(svc_holds_ended_total[$__rate_interval]))',
      '{{end}}',
    ]),
    lines(
      'Settlements that wait',
      'short',
      'In files until the database takes them, and those that not even a file takes.',
      ['sum(svc_settlements_pending)', 'in files'],
      ['sum(svc_settlements_unwritten)', 'nowhere'],
    ),
    lines('Age of what waits', 's', 'The oldest settlement that waits in a file.', [
      'max(svc_settlements_pending_oldest_age_seconds)',
      'oldest',
    ]),
    lines('Files of settlements', 'bytes', 'At 64 MiB a gateway admits no request.', [
      'svc_settlements_file_bytes',
      '{{instance}}',
    ]),
    lines(
      'Charges that went wrong',
      'short',
      'In an hour. All of them should be zero.',
      ['sum(increase(svc_settlements_lost_total[1h]))', 'lost by the database'],
      ['sum(increase(svc_settlements_differing_total[1h]))', 'other than told'],
      ['sum(increase(svc_settlement_journals_damaged_total[1h]))', 'damaged files'],
      ['sum by (outcome) (increase(svc_late_charges_total[1h]))', 'late: {{outcome}}'],
    ),
    lines(
      'Batches of the ledger',
      'cps',
      'Commits a second, and operations in them by kind.',
      ['sum(rate(svc_ledger_batches_total[$__rate_interval]))', 'batches'],
      ['sum by (kind) (rate(svc_ledger_operations_total[$__rate_interval]))', '{{kind}}'],
    ),
    lines(
      'Duration of commits',
      's',
      'From a batch to its durable answer; each request waits for two.',
      ...quantiles('svc_ledger_commit_duration_seconds'),
    ),
    lines('Operations in a batch', 'short', 'The mean; it grows with the load.', [
      'sum(rate(svc_ledger_batch_operations_sum[$__rate_interval])) / sum(rate(svc_ledger_batch_operations_count[$__rate_interval]))',
      'operations',
    ]),
    stat(
      'Last audit',
      's',
      'Since an audit of the books came to its end.',
      'max(svc_database_audit_age_seconds)',
      172_800,
    ),
    stat('Unfinished audit', 'short', '1 when the newest came to no verdict.', 'max(svc_database_audit_unfinished)', 1),
    lines(
      'Ledger log',
      'short',
      'Leaves, and those under a signed checkpoint; the two are a second apart.',
      ['max(svc_ledger_log_size)', 'leaves'],
      ['max(svc_ledger_log_signed_size)', 'signed'],
    ),
    stat('Refused ledger log', 'short', '1 when no process signs it.', 'min(svc_ledger_log_refused)', 1),
  ],
}
