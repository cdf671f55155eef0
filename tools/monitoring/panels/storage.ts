import { lines, type PanelRow } from '../panel.ts'

export const storage: PanelRow = {
  title: 'Database, leases and disk',
  panels: [
    lines('Database answers', 'short', '1 where it answered the scrape within a second.', [
      'svc_database_up',
      '{{instance}}',
    ]),
    lines(
      'Trouble with commits',
      'cps',
      'Attempts that were not answered, and batches that were sent again.',
      ['sum(rate(svc_ledger_commit_failures_total[$__rate_interval]))', 'failed'],
      ['sum(rate(svc_ledger_retries_total[$__rate_interval]))', 'sent again'],
    ),
    lines('Operations that wait', 'short', 'From 5,000 on the gateway says that it is not ready.', [
      'svc_ledger_queue_operations',
      '{{instance}}',
    ]),
    lines('Age of leases', 's', 'Since each process renewed its lease; of 60 s, at 45 it ends its streams.', [
      'svc_lease_age_seconds',
      '{{instance}}',
    ]),
    lines('Limits that processes share', 's', 'How long the database takes for them, 95 of 100.', [
      'histogram_quantile(0.95, sum by (le, outcome) (rate(svc_limit_exchange_duration_seconds_bucket[$__rate_interval])))',
      '{{outcome}}',
    ]),
    lines(
      'Limits not shared',
      'short',
      '1 while each process applies its part, and outages in an hour.',
      ['max by (instance) (svc_limit_store_down)', 'down {{instance}}'],
      ['sum(increase(svc_limit_outages_total[1h]))', 'outages'],
    ),
    lines(
      'Disk of the data folder',
      'bytes',
      'Settlements, files and embedded storage are there.',
      ['svc_data_folder_free_bytes', 'free {{instance}}'],
      ['svc_data_folder_size_bytes', 'size {{instance}}'],
    ),
    lines(
      'Archive',
      's',
      'Since when records are to be archived that are still in the database.',
      ['max(svc_database_archive_overdue_seconds)', 'overdue'],
      ['sum(increase(svc_archive_failures_total[1d]))', 'failures in a day'],
    ),
    lines('Archived requests', 'short', 'Records that have left the database in a day.', [
      'sum(increase(svc_archived_requests_total[1d]))',
      'requests',
    ]),
  ],
}
