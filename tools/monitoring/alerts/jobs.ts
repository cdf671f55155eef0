import type { AlertGroup } from '../alert.ts'

/** Work that goes on without a client who waits: batches, videos, emails. */
export const jobAlerts: AlertGroup = {
  name: 'svc-jobs',
  alerts: [
    {
      name: 'SvcBatchesOverdue',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_batches_overdue_seconds) > 300',
      for: '5m',
      summary: 'A batch is due and no process works on it.',
      fires: { series: [{ series: 'svc_database_batches_overdue_seconds', values: '0+60x30' }], at: '15m' },
      quiet: { series: [{ series: 'svc_database_batches_overdue_seconds', values: '0 60 120 0x30' }], at: '15m' },
    },
    {
      name: 'SvcVideosUnsettled',
      severity: 'page',
      expr: 'max by (job) (svc_database_video_jobs_open{state="unsettled"}) > 0',
      for: '15m',
      summary: 'A video has ended and is not charged.',
      fires: { series: [{ series: 'svc_database_video_jobs_open{state="unsettled"}', values: '1x30' }], at: '20m' },
      quiet: { series: [{ series: 'svc_database_video_jobs_open{state="in_progress"}', values: '8x30' }], at: '20m' },
    },
    {
      name: 'SvcMailWaits',
      severity: 'ticket',
      expr: 'max by (job) (svc_database_mail_oldest_age_seconds) > 900',
      for: '5m',
      summary: 'An email waits for a quarter of an hour: people cannot sign in by email.',
      fires: { series: [{ series: 'svc_database_mail_oldest_age_seconds', values: '850+60x30' }], at: '10m' },
      quiet: { series: [{ series: 'svc_database_mail_oldest_age_seconds', values: '20x30' }], at: '10m' },
    },
    {
      name: 'SvcMailFails',
      severity: 'ticket',
      expr: 'sum by (job) (increase(svc_mail_attempts_total{outcome="failed"}[1h])) > 3',
      summary: 'Several emails were given up within an hour.',
      fires: { series: [{ series: 'svc_mail_attempts_total{outcome="failed"}', values: '0x5 0+1x30' }], at: '25m' },
      quiet: { series: [{ series: 'svc_mail_attempts_total{outcome="sent"}', values: '0+9x60' }], at: '25m' },
    },
  ],
}
