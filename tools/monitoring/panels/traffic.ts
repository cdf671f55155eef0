import { lines, type PanelRow, quantiles } from '../panel.ts'

export const traffic: PanelRow = {
  title: 'Traffic',
  panels: [
    lines('Requests by status', 'reqps', 'Finished requests; aborted: the client left before the end.', [
      'sum by (status) (rate(svc_http_requests_total[$__rate_interval]))',
      '{{status}}',
    ]),
    lines('Requests by route', 'reqps', 'The ten busiest routes.', [
      'topk(10, sum by (route) (rate(svc_http_requests_total[$__rate_interval])))',
      '{{route}}',
    ]),
    lines('Error answers by code', 'reqps', 'What docs/errors.md explains.', [
      'topk(10, sum by (code) (rate(svc_http_errors_total[$__rate_interval])))',
      '{{code}}',
    ]),
    lines(
      'Duration of requests',
      's',
      'From the request to the end of its answer, streams included.',
      ...quantiles('svc_http_request_duration_seconds'),
    ),
    lines(
      'First content of chats',
      's',
      'From the hold of a streamed chat to its first content.',
      ...quantiles('svc_chat_first_content_seconds'),
    ),
    lines(
      'Duration of chats',
      's',
      'From the hold of a chat to its settlement.',
      ...quantiles('svc_chat_duration_seconds'),
    ),
    lines('Chats by outcome', 'reqps', 'Chats that had a hold: ok, incomplete, error (free), cancelled.', [
      'sum by (status) (rate(svc_chat_requests_total[$__rate_interval]))',
      '{{status}}',
    ]),
    lines('Chats that failed', 'reqps', 'By error code and upstream.', [
      'topk(10, sum by (code, upstream) (rate(svc_chat_errors_total[$__rate_interval])))',
      '{{code}} {{upstream}}',
    ]),
    lines('Tokens', 'cps', 'Prompt with cached among them, completion with reasoning among them.', [
      'sum by (kind) (rate(svc_chat_tokens_total[$__rate_interval]))',
      '{{kind}}',
    ]),
    lines('Media by outcome', 'reqps', 'Requests for images, videos, speech and transcription that had a hold.', [
      'sum by (type, status) (rate(svc_media_requests_total[$__rate_interval]))',
      '{{type}} {{status}}',
    ]),
    lines('Media that failed', 'reqps', 'By type and error code.', [
      'sum by (type, code) (rate(svc_media_errors_total[$__rate_interval]))',
      '{{type}} {{code}}',
    ]),
    lines('Duration of media', 's', 'From the hold to its settlement, 95 of 100.', [
      'histogram_quantile(0.95, sum by (le, type) (rate(svc_media_duration_seconds_bucket[$__rate_interval])))',
      '{{type}}',
    ]),
    lines('Refused by overload', 'reqps', 'Paid requests that would have waited too long, by what for.', [
      'sum by (waits_for) (rate(svc_overload_refusals_total[$__rate_interval]))',
      '{{waits_for}}',
    ]),
    lines('Expected wait', 's', 'How long a paid request that comes now would wait in a process.', [
      'max by (waits_for) (svc_waiting_expected_seconds)',
      '{{waits_for}}',
    ]),
    lines('Refused by limits', 'reqps', 'Calls that came too soon, by the limit that refused them.', [
      'sum by (limit) (rate(svc_limit_refusals_total[$__rate_interval]))',
      '{{limit}}',
    ]),
  ],
}
