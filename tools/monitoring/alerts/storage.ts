import { type AlertGroup, TEST_TARGET } from '../alert.ts'

const GIB = 1_073_741_824

/** The database, the leases in it, and the disk. */
export const storageAlerts: AlertGroup = {
  name: 'svc-storage',
  alerts: [
    {
      name: 'SvcDatabaseGone',
      severity: 'page',
      expr: 'svc_database_up == 0',
      for: '1m',
      summary: 'The database does not answer within a second.',
      fires: { series: [{ series: 'svc_database_up', values: '1x3 0x10' }], at: '6m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_database_up', values: '1x3 0 1x10' }], at: '6m' },
    },
    {
      name: 'SvcCommitsFail',
      severity: 'page',
      expr: 'sum by (job) (increase(svc_ledger_commit_failures_total[10m])) > 5',
      for: '2m',
      summary: 'Batches of money operations are not answered: the database fails, or its connections break.',
      fires: { series: [{ series: 'svc_ledger_commit_failures_total', values: '0x5 0+2x20' }], at: '15m' },
      quiet: { series: [{ series: 'svc_ledger_commit_failures_total', values: '0x5 1x20' }], at: '15m' },
    },
    {
      name: 'SvcCommitsSlow',
      severity: 'ticket',
      expr:
        'histogram_quantile(0.99, sum by (job, instance, le) (rate(svc_ledger_commit_duration_seconds_bucket[5m]))) ' +
        '> 0.25',
      for: '5m',
      summary: 'Commits of the ledger take over 250 ms; every request waits for two of them.',
      fires: {
        series: [
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="0.25"}', values: '0+50x30' },
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="0.5"}', values: '0+100x30' },
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="+Inf"}', values: '0+100x30' },
        ],
        ...{ at: '20m', labels: TEST_TARGET },
      },
      quiet: {
        series: [
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="0.01"}', values: '0+100x30' },
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="0.25"}', values: '0+100x30' },
          { series: 'svc_ledger_commit_duration_seconds_bucket{le="+Inf"}', values: '0+100x30' },
        ],
        at: '20m',
      },
    },
    {
      name: 'SvcLedgerQueue',
      severity: 'page',
      expr: 'svc_ledger_queue_operations > 5000',
      for: '1m',
      summary: 'Over 5,000 money operations wait for the database: the gateway says that it is not ready.',
      fires: { series: [{ series: 'svc_ledger_queue_operations', values: '6000x10' }], at: '5m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_ledger_queue_operations', values: '400x10' }], at: '5m' },
    },
    {
      name: 'SvcLimitsNotShared',
      severity: 'ticket',
      expr: 'svc_limit_store_down == 1',
      for: '5m',
      summary: 'Limits are not shared between processes: the database is away or too slow for them.',
      fires: { series: [{ series: 'svc_limit_store_down', values: '1x20' }], at: '10m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_limit_store_down', values: '1x3 0x20' }], at: '10m' },
    },
    {
      name: 'SvcLeaseOld',
      severity: 'page',
      expr: 'svc_lease_age_seconds > 30',
      summary: 'A gateway cannot renew its lease: at three quarters of it, it ends its streams.',
      fires: { series: [{ series: 'svc_lease_age_seconds', values: '4x3 40' }], at: '4m', labels: TEST_TARGET },
      quiet: { series: [{ series: 'svc_lease_age_seconds', values: '4 9 3x10' }], at: '5m' },
    },
    {
      name: 'SvcDiskLow',
      severity: 'ticket',
      expr: 'svc_data_folder_free_bytes < 0.15 * svc_data_folder_size_bytes',
      for: '15m',
      summary: 'Less than 15 % of the disk of the data folder is free.',
      fires: { series: disk(12 * GIB), at: '20m', labels: TEST_TARGET },
      quiet: { series: disk(40 * GIB), at: '20m' },
    },
    {
      name: 'SvcArchiveOverdue',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_archive_overdue_seconds) > 259200',
      for: '1h',
      summary: 'Records that should have left the database three nights ago are still there.',
      fires: { series: [{ series: 'svc_database_archive_overdue_seconds', values: '259100+60x100' }], at: '80m' },
      quiet: { series: [{ series: 'svc_database_archive_overdue_seconds', values: '172800+60x100 0x20' }], at: '80m' },
    },
    {
      name: 'SvcDiskFull',
      severity: 'page',
      expr: 'svc_data_folder_free_bytes < 1073741824 or svc_data_folder_free_bytes < 0.03 * svc_data_folder_size_bytes',
      for: '2m',
      summary: 'The disk of the data folder is all but full: settlements and files will not fit.',
      fires: { series: disk(GIB / 2), at: '20m', labels: TEST_TARGET },
      quiet: { series: disk(12 * GIB), at: '20m' },
    },
  ],
}

function disk(free: number) {
  return [
    { series: 'svc_data_folder_free_bytes', values: `${free}x30` },
    { series: 'svc_data_folder_size_bytes', values: `${100 * GIB}x30` },
  ]
}
