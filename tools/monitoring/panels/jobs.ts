import { lines, type PanelRow } from '../panel.ts'

export const jobs: PanelRow = {
  title: 'Batches, videos, email',
  panels: [
    lines('Batches', 'short', 'That have not ended, by state.', [
      'max by (state) (svc_database_batches_open)',
      '{{state}}',
    ]),
    lines('Overdue batch', 's', 'For how long no process has taken what is due.', [
      'max(svc_database_batches_overdue_seconds)',
      'overdue',
    ]),
    lines('Lines of batches', 'cps', 'By what became of them; repeated ones are made again.', [
      'sum by (outcome) (rate(svc_batch_lines_total[$__rate_interval]))',
      '{{outcome}}',
    ]),
    lines('Batches that ended', 'short', 'In an hour, by state.', [
      'sum by (state) (increase(svc_batches_ended_total[1h]))',
      '{{state}}',
    ]),
    lines('Files of teams', 'short', 'That are kept, by purpose.', [
      'max by (purpose) (svc_database_files)',
      '{{purpose}}',
    ]),
    lines('Bytes of these files', 'bytes', 'By purpose.', [
      'max by (purpose) (svc_database_file_bytes)',
      '{{purpose}}',
    ]),
    lines('Video jobs', 'short', 'That are not settled, by state.', [
      'max by (state) (svc_database_video_jobs_open)',
      '{{state}}',
    ]),
    lines('Videos that ended', 'short', 'In an hour, by state and error code.', [
      'sum by (state, code) (increase(svc_video_jobs_ended_total[1h]))',
      '{{state}} {{code}}',
    ]),
    lines('Emails that wait', 'short', 'Of all processes.', ['max(svc_database_mail_waiting)', 'waiting']),
    lines('Oldest email', 's', 'That waits.', ['max(svc_database_mail_oldest_age_seconds)', 'oldest']),
    lines('Attempts at emails', 'short', 'In an hour; failed ones are given up.', [
      'sum by (outcome) (increase(svc_mail_attempts_total[1h]))',
      '{{outcome}}',
    ]),
  ],
}
