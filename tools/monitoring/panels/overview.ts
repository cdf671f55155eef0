import { type PanelRow, stat } from '../panel.ts'

const ERRORS =
  'sum(rate(svc_http_requests_total{status="5xx"}[$__rate_interval])) / ' +
  'sum(rate(svc_http_requests_total[$__rate_interval]))'

export const overview: PanelRow = {
  title: 'At a glance',
  panels: [
    stat(
      'Alerts',
      'short',
      'Alerts of these rules that fire now.',
      'count(ALERTS{alertname=~"Svc.+",alertstate="firing"}) or vector(0)',
      1,
    ),
    stat(
      'Requests',
      'reqps',
      'Finished requests a second, over all gateways.',
      'sum(rate(svc_http_requests_total[$__rate_interval]))',
    ),
    stat('Failed', 'percentunit', 'Part of the requests that we answered with 5xx.', ERRORS, 0.05),
    stat('Open streams', 'short', 'Event streams that are open now.', 'sum(svc_streams_open)'),
    stat(
      'Credits charged an hour',
      'short',
      'At the present rate; a float, for display only.',
      '3600 * sum(rate(svc_credits_charged_total[$__rate_interval]))',
    ),
    stat(
      'Breaches',
      'short',
      'What the last audit of the books found; 0 when every promise is kept.',
      'max(svc_database_audit_breaches)',
      1,
    ),
  ],
}
