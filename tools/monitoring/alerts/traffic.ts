import { type AlertGroup, TEST_TARGET } from '../alert.ts'

/** What clients feel: a gateway that is away, fails or is slow. */
export const trafficAlerts: AlertGroup = {
  name: 'svc-traffic',
  alerts: [
    {
      name: 'SvcNoGateway',
      severity: 'page',
      expr: 'absent(svc_build_info)',
      for: '2m',
      summary: 'No gateway is scraped at all.',
      fires: { series: [{ series: 'up', values: '0x10' }], at: '5m', labels: {} },
      quiet: { series: [{ series: 'svc_build_info{version="1",node="24"}', values: '1x10' }], at: '5m' },
    },
    {
      name: 'SvcGatewayDown',
      severity: 'page',
      expr: 'up == 0 and on (job) count by (job) (last_over_time(svc_build_info[1d]))',
      for: '2m',
      summary: 'A gateway does not answer its scrape.',
      fires: {
        series: [
          { series: 'up', values: '1x5 0x20' },
          { series: 'svc_build_info{version="1",node="24"}', values: '1x5 _x20' },
        ],
        ...{ at: '12m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'up', values: '0x20' }], at: '12m' },
    },
    {
      name: 'SvcRestarts',
      severity: 'ticket',
      expr: 'changes(process_start_time_seconds[30m]) > 2 and on (job, instance) svc_build_info',
      summary: 'A gateway has started more than twice within half an hour.',
      fires: {
        series: [
          { series: 'process_start_time_seconds', values: '1x5 300x5 600x5 900x5' },
          { series: 'svc_build_info{version="1",node="24"}', values: '1x30' },
        ],
        ...{ at: '22m', labels: TEST_TARGET },
      },
      quiet: {
        series: [
          { series: 'process_start_time_seconds', values: '1x5 300x30' },
          { series: 'svc_build_info{version="1",node="24"}', values: '1x30' },
        ],
        at: '22m',
      },
    },
    {
      name: 'SvcServerErrors',
      severity: 'page',
      expr:
        'sum by (job) (rate(svc_http_requests_total{status="5xx"}[5m])) > ' +
        '0.05 * sum by (job) (rate(svc_http_requests_total[5m]))',
      for: '5m',
      summary: 'More than one request in twenty fails.',
      fires: {
        series: [
          { series: 'svc_http_requests_total{route="/r",method="POST",status="2xx"}', values: '0+90x30' },
          { series: 'svc_http_requests_total{route="/r",method="POST",status="5xx"}', values: '0+10x30' },
        ],
        at: '20m',
      },
      quiet: {
        series: [
          { series: 'svc_http_requests_total{route="/r",method="POST",status="2xx"}', values: '0+98x30' },
          { series: 'svc_http_requests_total{route="/r",method="POST",status="5xx"}', values: '0+2x30' },
        ],
        at: '20m',
      },
    },
    {
      name: 'SvcFirstContentSlow',
      severity: 'ticket',
      expr: 'histogram_quantile(0.95, sum by (job, le) (rate(svc_chat_first_content_seconds_bucket[10m]))) > 10',
      for: '10m',
      summary: 'One streamed chat in twenty waits for more than ten seconds for its first content.',
      fires: {
        series: [
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="10"}', values: '0+5x40' },
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="30"}', values: '0+10x40' },
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="+Inf"}', values: '0+10x40' },
        ],
        at: '30m',
      },
      quiet: {
        series: [
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="10"}', values: '0+10x40' },
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="30"}', values: '0+10x40' },
          { series: 'svc_chat_first_content_seconds_bucket{model="m",upstream="u",le="+Inf"}', values: '0+10x40' },
        ],
        at: '30m',
      },
    },
    {
      name: 'SvcOverloaded',
      severity: 'page',
      expr: 'sum by (job, waits_for) (increase(svc_overload_refusals_total[5m])) > 10',
      for: '5m',
      summary: 'Paid requests are refused because they would wait too long.',
      fires: {
        series: [{ series: 'svc_overload_refusals_total{waits_for="upstream"}', values: '0+30x30' }],
        ...{ at: '15m', labels: { job: 'svc', waits_for: 'upstream' } },
      },
      // A single burst.
      quiet: {
        series: [{ series: 'svc_overload_refusals_total{waits_for="event_loop"}', values: '0x5 40x30' }],
        at: '20m',
      },
    },
    {
      name: 'SvcEventLoopBusy',
      severity: 'page',
      expr: 'svc_event_loop_utilization_ratio > 0.9',
      for: '5m',
      summary: 'The one thread of a gateway is busy nine tenths of its time: add a process.',
      fires: {
        series: [{ series: 'svc_event_loop_utilization_ratio', values: '0.95x20' }],
        ...{ at: '10m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'svc_event_loop_utilization_ratio', values: '0.95x3 0.7x20' }], at: '10m' },
    },
    {
      name: 'SvcEventLoopStalls',
      severity: 'ticket',
      expr: 'nodejs_eventloop_lag_p99_seconds > 0.25 and on (job, instance) svc_build_info',
      for: '5m',
      summary: 'Something holds up the one thread of a gateway for a quarter of a second, again and again.',
      fires: {
        series: [
          { series: 'nodejs_eventloop_lag_p99_seconds', values: '0.4x20' },
          { series: 'svc_build_info{version="1",node="24"}', values: '1x20' },
        ],
        ...{ at: '10m', labels: TEST_TARGET },
      },
      quiet: { series: [{ series: 'nodejs_eventloop_lag_p99_seconds', values: '0.4x20' }], at: '10m' },
    },
  ],
}
